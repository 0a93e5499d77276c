package tools_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// needPython skips a test where python3 does not run.
func needPython(t *testing.T) {
	t.Helper()
	if err := exec.Command("python3", "-c", "pass").Run(); err != nil {
		t.Skipf("python3 does not run here: %v", err)
	}
}

func TestAnInterpreterGivesTheVerdict(t *testing.T) {
	t.Parallel()
	needPython(t)
	env, dir := setup(t, map[string]string{
		"good.py": "x = 1\n", "bad.py": "def f(:\n    pass\n\n\ny = = 1\n", "late.py": "return 1\n", "empty.py": "",
		"latin.py": "# coding: latin-1\nx = '\xe9'\n", "unknown.py": "# coding: klingon\n", "bom.py": "\ufeffx = 1\n",
		"json.py": "raise SystemExit(7)\n", "warnings.py": "raise SystemExit(7)\n",
	})
	for name, valid := range map[string]any{
		"good.py": true, "bad.py": false, "late.py": true, "empty.py": true, "latin.py": true, "unknown.py": false,
		"bom.py": true,
	} {
		result := call(t, env, "py_check_syntax", args{"path": name})
		require.False(t, result.Failed, result.Text)
		twin := data(t, result)
		require.Equal(t, valid, twin["valid"], result.Text)
		require.True(t, strings.HasPrefix(twin["checker"].(string), "CPython 3."), twin["checker"])
		require.Equal(t, valid, len(twin["errors"].([]any)) == 0)
	}
	require.Contains(t, call(t, env, "py_check_syntax", args{"path": "good.py"}).Text, "good.py: valid (CPython 3.")
	require.Contains(t, call(t, env, "py_check_syntax", args{"path": "late.py"}).Text,
		"warning: late.py:1:1: SyntaxError: 'return' outside function")
	require.NoDirExists(t, filepath.Join(dir, "__pycache__"))
}

func TestAnInterpreterInTheWorkspaceIsNotRun(t *testing.T) {
	t.Parallel()
	env, dir := setup(t, map[string]string{"a.py": "x = 1\n", "bin/python3": "#!/bin/sh\ntouch " + "ran\n"})
	require.NoError(t, os.Chmod(filepath.Join(dir, "bin/python3"), 0o755))
	outside := t.TempDir()
	require.NoError(t, os.Symlink(filepath.Join(dir, "bin/python3"), filepath.Join(outside, "python3")))
	env.Shell.Inherit = []string{"PATH=" + filepath.Join(dir, "bin") + ":bin:.:" + outside}
	result := call(t, env, "py_check_syntax", args{"path": "a.py"})
	require.Contains(t, result.Text, "no error found by slop's parser (no python3 on PATH")
	require.NoFileExists(t, filepath.Join(dir, "ran"))
}

func TestAnInterpreterThatFailsIsNoVerdict(t *testing.T) {
	t.Parallel()
	env, _ := setup(t, map[string]string{"a.py": "x = 1\n"})
	outside := t.TempDir()
	for name, script := range map[string]string{"fails": "exit 3", "babbles": "cat >/dev/null; echo hello"} {
		bin := filepath.Join(outside, name)
		require.NoError(t, os.MkdirAll(bin, 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(bin, "python3"), []byte("#!/bin/sh\n"+script+"\n"), 0o755))
		env.Shell.Inherit = []string{"PATH=" + bin + ":/usr/bin:/bin"}
		result := call(t, env, "py_check_syntax", args{"path": "a.py"})
		require.Equal(t, "a.py: no error found by slop's parser (the python3 on PATH gave no verdict)", result.Text)
		require.Nil(t, data(t, result)["valid"])
	}
}

func TestAVersionIsAskedOfAnInterpreterOfThatVersionOnly(t *testing.T) {
	t.Parallel()
	needPython(t)
	env, _ := setup(t, map[string]string{"a.py": "x = 1\n"})
	text := call(t, env, "py_check_syntax", args{"path": "a.py", "version": "3.14"}).Text
	if !strings.Contains(text, "valid (CPython 3.14") {
		require.Equal(t, "a.py: no error found by slop's parser (no Python 3.14 on PATH for an exact verdict)", text)
	}
}
