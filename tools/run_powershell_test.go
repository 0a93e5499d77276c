//go:build unix

package tools_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/tools"
	"manualslop/tools/sandbox"
)

// fake puts a program on the PATH of env that writes its arguments, its directory and its
// environment to files in the returned folder and then plays a part.
func fake(t *testing.T, env *tools.Env, name, part string) string {
	t.Helper()
	bin, record := t.TempDir(), t.TempDir()
	script := "#!/bin/sh\nprintf '%s\\0' \"$0\" \"$@\" >" + record + "/argv\npwd -P >" + record + "/cwd\nenv >" + record +
		"/env\n" + part + "\n"
	require.NoError(t, os.WriteFile(filepath.Join(bin, name), []byte(script), 0o755))
	env.Shell.PathPrepend = append(env.Shell.PathPrepend, bin)
	return record
}

func argv(t *testing.T, record string) []string {
	t.Helper()
	return strings.Split(strings.TrimSuffix(get(t, record, "argv"), "\x00"), "\x00")
}

func TestPowershellIsCalledAsTheOriginalDoes(t *testing.T) {
	t.Parallel()
	env, dir := setup(t, nil)
	record := fake(t, &env, "pwsh", "echo out; echo err >&2; exit 3")
	result := call(t, env, "run_powershell", args{"script": "Get-ChildItem 'a b'\n$x = \"é\""})
	got := argv(t, record)
	require.Equal(t, "pwsh", filepath.Base(got[0]))
	require.Equal(t, []string{
		"-NoProfile", "-NonInteractive", "-Command", "Set-Location -LiteralPath '" + dir +
			"'\nGet-ChildItem 'a b'\n$x = \"é\"",
	}, got[1:])
	require.Equal(t, dir+"\n", get(t, record, "cwd"))
	require.Equal(t, "STDOUT:\nout\nSTDERR:\nerr\nEXIT CODE: 3", result.Text)
	require.True(t, result.Failed)
	require.Equal(t, 3, *result.Exit)
	require.Equal(t, "err\n", result.Stderr)
	require.Equal(t, "pwsh", result.Interpreter)
	require.Equal(t, "Get-ChildItem 'a b'\n$x = \"é\"", result.Script)
	require.NoError(t, result.Err)
}

func TestPowershellNamesAreTriedInOrder(t *testing.T) {
	t.Parallel()
	env, _ := setup(t, nil)
	for _, name := range []string{"pwsh", "powershell", "pwsh.exe", "powershell.exe"} {
		record := fake(t, &env, name, "")
		require.False(t, call(t, env, "run_powershell", args{"script": "x"}).Failed)
		require.Equal(t, name, filepath.Base(argv(t, record)[0]), "earlier names win over folders found earlier")
		require.Equal(t, strings.TrimSuffix(name, ".exe"), env.Shell.Interpreter())
	}
}

func TestTheDirectoryIsQuotedForPowershell(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"it's":               "it''s",
		"a’; Remove-Item x;": "a’’; Remove-Item x;",
		"‘‚‛":                "‘‘‚‚‛‛",
		"$(x) `n \" %PATH%":  "$(x) `n \" %PATH%",
	} {
		_, outer := setup(t, map[string]string{name + "/f": ""})
		w, err := sandbox.Open(sandbox.Config{Primary: filepath.Join(outer, name)})
		require.NoError(t, err)
		env := tools.Env{Workspace: w}
		record := fake(t, &env, "pwsh", "")
		require.False(t, call(t, env, "run_powershell", args{"script": "script"}).Failed)
		require.Equal(t, "Set-Location -LiteralPath '"+outer+"/"+want+"'\nscript", argv(t, record)[4])
		literal, rest, ok := powershellLiteral(argv(t, record)[4][len("Set-Location -LiteralPath "):])
		require.True(t, ok)
		require.Equal(t, filepath.Join(outer, name), literal, "PowerShell reads back the directory and nothing else")
		require.Equal(t, "\nscript", rest)
		require.NoError(t, w.Close())
	}
}

// powershellLiteral reads one single-quoted string as PowerShell does: five characters quote, and
// two of them in a row stand for the first.
func powershellLiteral(text string) (literal, rest string, ok bool) {
	quote := func(r rune) bool { return strings.ContainsRune("'‘’‚‛", r) }
	runes := []rune(text)
	if len(runes) == 0 || !quote(runes[0]) {
		return "", "", false
	}
	var b strings.Builder
	for i := 1; i < len(runes); i++ {
		if !quote(runes[i]) {
			b.WriteRune(runes[i])
			continue
		}
		if i+1 == len(runes) || !quote(runes[i+1]) {
			return b.String(), string(runes[i+1:]), true
		}
		b.WriteRune(runes[i])
		i++
	}
	return "", "", false
}

// posix is an environment whose PATH has no PowerShell.
func posix(t *testing.T, files map[string]string) (tools.Env, string) {
	t.Helper()
	env, dir := setup(t, files)
	bin := t.TempDir()
	for _, name := range []string{"bash", "sh", "sleep", "cat", "env", "seq", "setsid", "echo", "yes", "head"} {
		for _, from := range []string{"/usr/bin/", "/bin/"} {
			if _, err := os.Stat(from + name); err == nil {
				require.NoError(t, os.Symlink(from+name, filepath.Join(bin, name)))
				break
			}
		}
	}
	env.Shell.Inherit = []string{"PATH=" + bin, "HOME=" + dir, "API_KEY=secret"}
	return env, dir
}

func TestWithoutPowershellScriptsRunInBash(t *testing.T) {
	t.Parallel()
	env, dir := posix(t, map[string]string{"f": "content"})
	result := call(t, env, "run_powershell", args{"script": "echo hi; cat f; [[ a == a ]] && pwd; echo bad >&2; echo " +
		"\"[$API_KEY]\""})
	require.Equal(t, "STDOUT:\nhi\ncontent"+dir+
		"\n[]\nSTDERR:\nbad\nEXIT CODE: 0", result.Text)
	require.False(t, result.Failed)
	require.Equal(t, "bash", result.Interpreter)
	require.Equal(t, "bash", env.Shell.Interpreter())
	require.Equal(t, map[string]any{
		"interpreter": "bash", "stdout": "hi\ncontent" + dir + "\n[]\n", "stderr": "bad\n", "exit": 0.0, "timed_out": false,
		"duration_ms": data(t, result)["duration_ms"],
	}, data(t, result))
	result = call(t, env, "run_powershell", args{"script": "exit 4"})
	require.True(t, result.Failed)
	require.True(t, strings.HasSuffix(result.Text, "STDOUT:\n\nSTDERR:\n\nEXIT CODE: 4"), result.Text)
}

func TestConfiguredVariablesReachTheScript(t *testing.T) {
	t.Parallel()
	env, _ := posix(t, nil)
	env.Shell.Set = map[string]string{"MINE": "${HOME}/x", "GIT_TERMINAL_PROMPT": "1"}
	env.Shell.Pass = []string{"API_KEY"}
	result := call(t, env, "run_powershell", args{"script": "echo $MINE $GIT_TERMINAL_PROMPT $GCM_INTERACTIVE $API_KEY"})
	require.Contains(t, result.Text, "/x 1 never secret")
}

func TestWithoutAnyShellTheAnswerIsClear(t *testing.T) {
	t.Parallel()
	env, _ := posix(t, nil)
	env.Shell.Fallback = tools.FallbackNone
	require.Empty(t, env.Shell.Interpreter())
	require.Contains(t, call(t, env, "run_powershell", args{"script": "x"}).Text,
		`ERROR: PowerShell is not installed, and [shell] fallback = "none"`)
	env.Shell.Fallback = "fish"
	require.Contains(t, call(t, env, "run_powershell", args{"script": "x"}).Text, "ERROR: [shell] fallback is")
	require.True(t, strings.HasPrefix(call(t, tools.Env{}, "run_powershell", args{"script": "x"}).Text, "ACCESS DENIED"))
}

func TestPowershellTextIsNotGivenToAPosixShell(t *testing.T) {
	t.Parallel()
	env, _ := posix(t, nil)
	for _, script := range []string{
		"Get-ChildItem -Recurse", "ls | Where-Object { $_.Length -gt 1 }", "$x = 5", "$path = Join-Path a b; echo $path",
		"echo $env:PATH",
		"echo \"$env:USERPROFILE\\x\"", "if ($x -eq 1) { echo a }", "$t = @'\nx\n'@\n", "foreach ($f in dir) { $f }",
		"[System.IO.File]::ReadAllText('a')", "param(\n[string]$a\n)\necho $a", "Write-Output 'hi'",
	} {
		result := call(t, env, "run_powershell", args{"script": script})
		require.True(t, result.Failed, script)
		require.Contains(t, result.Text, "ERROR: this looks like PowerShell", script)
		require.Contains(t, result.Text, "bash", script)
	}
	for _, script := range []string{
		"echo 'Get-ChildItem'", "[ 1 -eq 1 ]", "x=5; echo $x", "cat <<'EOF'\n$x = 5\nGet-ChildItem\nEOF",
		"if [ 2 -gt 1 ]; then echo a; fi",
		"for f in a b; do echo $f; done", "echo $HOME:x", "echo \"${env}:x\"", "#!/bin/sh\necho Get-Item", "test a = a",
		"echo a-b Apt-Get",
	} {
		result := call(t, env, "run_powershell", args{"script": script})
		require.NotContains(t, result.Text, "looks like PowerShell", script)
	}
}

func TestATimeLimitEndsTheScriptAndSaysSo(t *testing.T) {
	t.Parallel()
	env, _ := posix(t, nil)
	env.Shell.Timeout = 1500 * time.Millisecond
	result := call(t, env, "run_powershell", args{"script": "echo begun; sleep 1000 & sleep 1000"})
	require.True(t, result.Failed)
	require.Equal(t, "ERROR: timed out after 1.5s\nSTDOUT:\nbegun\nSTDERR:\n", result.Text)
	require.Nil(t, result.Exit)
	require.Equal(t, true, data(t, result)["timed_out"])
	require.Equal(t, "begun\n", data(t, result)["stdout"])
}

func TestACallMayNameATimeLimit(t *testing.T) {
	t.Parallel()
	env, _ := posix(t, nil)
	env.Shell.Timeout, env.Shell.MaxTimeout = time.Minute, 2*time.Minute
	named := func(seconds int) string {
		return call(t, env, "run_powershell", args{"script": "echo x", "timeout_s": seconds}).Text
	}
	require.Equal(t, "STDOUT:\nx\nSTDERR:\n\nEXIT CODE: 0", named(120))
	require.Contains(t, named(121), "timeout_s is 121, over the limit of 120s; nothing was run")
	env.Shell.MaxTimeout = 0
	require.Contains(t, named(60), "EXIT CODE: 0")
	require.Contains(t, named(61), "timeout_s is 61, over the limit of 60s; nothing was run")
	ended := call(t, env, "run_powershell", args{"script": "sleep 1000", "timeout_s": 1})
	require.Equal(t, "ERROR: timed out after 1s", ended.Text)
}

func TestATimeLimitLeavesHeadAndTailOfTheOutput(t *testing.T) {
	t.Parallel()
	env, _ := posix(t, nil)
	env.Shell.Timeout = 1500 * time.Millisecond
	result := call(t, env, "run_powershell", args{"script": "seq 1 100000; seq 1 9000 >&2; sleep 1000"})
	require.True(t, strings.HasPrefix(result.Text, "ERROR: timed out after 1.5s\nSTDOUT:\n1\n2\n"), result.Text[:100])
	require.Contains(t, result.Text, "\n100000\nSTDERR:\n1\n")
	require.True(t, strings.HasSuffix(result.Text, "\n9000"))
	require.LessOrEqual(t, len([]rune(result.Text)), tools.DefaultMaxChars)
	require.LessOrEqual(t, strings.Count(result.Text, "\n")+1, tools.DefaultMaxLines)
	silent := call(t, env, "run_powershell", args{"script": "sleep 1000"})
	require.Equal(t, "ERROR: timed out after 1.5s", silent.Text)
}

func TestCancellationEndsAScript(t *testing.T) {
	t.Parallel()
	env, _ := posix(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	begun := filepath.Join(env.Workspace.Primary(), "begun")
	script := "echo > begun; sleep 1000"
	done := make(chan tools.Result, 1)
	go func() { done <- prepare(t, env, "run_powershell", args{"script": script}).Run(ctx, nil) }()
	require.Eventually(t, func() bool { _, err := os.Stat(begun); return err == nil }, 20*time.Second, time.Millisecond)
	cancel()
	result := <-done
	require.True(t, result.Failed)
	require.Contains(t, result.Text, "ERROR: ")
	require.Equal(t, script, result.Script)
	require.Nil(t, result.Exit)
}

func TestLongOutputKeepsItsEndsAndTheExitCode(t *testing.T) {
	t.Parallel()
	env, _ := posix(t, nil)
	result := call(t, env, "run_powershell", args{"script": "seq 1 100000; seq 1 9000 >&2; exit 1"})
	require.True(t, strings.HasPrefix(result.Text, "STDOUT:\n1\n2\n"))
	require.True(t, strings.HasSuffix(result.Text, "\n9000\nEXIT CODE: 1"))
	require.Contains(t, result.Text, "\n100000\nSTDERR:\n1\n")
	require.Contains(t, result.Text, "not shown …")
	require.LessOrEqual(t, len([]rune(result.Text)), tools.DefaultMaxChars)
	require.LessOrEqual(t, strings.Count(result.Text, "\n")+1, tools.DefaultMaxLines)
	require.Len(t, result.Artifacts, 2)
	require.Equal(t, "stdout", result.Artifacts[0].Name)
	require.Len(t, result.Artifacts[0].Data, 588895)
	require.Equal(t, "1\n2\n3\n", string(result.Artifacts[1].Data[:6]))
	require.False(t, result.Artifacts[0].Cut)
	require.Empty(t, call(t, env, "run_powershell", args{"script": "echo little"}).Artifacts)
	flood := call(t, env, "run_powershell", args{"script": "yes | head -c 20000000"})
	require.Len(t, flood.Artifacts[0].Data, sandbox.MaxWhole)
	require.True(t, flood.Artifacts[0].Cut)
	env.Limits = tools.Limits{MaxChars: 500, MaxLines: 5}
	for _, script := range []string{"seq 1 1000", "seq -s, 1 10000", "seq 1 1000; seq -s, 1 10000 >&2"} {
		small := call(t, env, "run_powershell", args{"script": script})
		require.LessOrEqual(t, len([]rune(small.Text)), 500)
	}
}

func TestScriptsThatCannotBeHandedOverAreRefused(t *testing.T) {
	t.Parallel()
	env, _ := posix(t, nil)
	fits := call(t, env, "run_powershell", args{"script": ":" + strings.Repeat(" ", 99_999)})
	require.False(t, fits.Failed, fits.Text)
	for _, script := range []string{":" + strings.Repeat(" ", 100_000), "a\x00b", " \n"} {
		result := call(t, env, "run_powershell", args{"script": script})
		require.True(t, strings.HasPrefix(result.Text, "ERROR: the script "), result.Text)
	}
}

func TestAConfinedScriptStaysInTheWorkspace(t *testing.T) {
	t.Parallel()
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		t.Skip("bubblewrap is not installed")
	}
	if out, err := exec.CommandContext(t.Context(), bwrap, "--ro-bind", "/", "/", "--unshare-pid", "--proc", "/proc", "--",
		"/bin/true").CombinedOutput(); err != nil {
		t.Skipf("bubblewrap cannot make namespaces here: %v: %s", err, out)
	}
	env, dir := setup(t, map[string]string{".env": "TOKEN=hunter2\n", "slop.toml": "old"})
	outside := t.TempDir()
	env.Shell.Confine, env.Shell.Frozen = true, []string{"slop.toml"}
	result := call(t, env, "run_powershell", args{"script": "pwd; touch made; cat .env; touch " + outside +
		"/pwned; echo new >slop.toml; exit 5"})
	require.Equal(t, 5, *result.Exit)
	require.NotContains(t, result.Text, "hunter2")
	require.Contains(t, result.Text, dir)
	require.FileExists(t, filepath.Join(dir, "made"))
	require.NoFileExists(t, filepath.Join(outside, "pwned"))
	require.Equal(t, "old", get(t, dir, "slop.toml"))
}

func TestAScriptThatCannotBeConfinedIsNotRun(t *testing.T) {
	t.Parallel()
	env, dir := posix(t, nil)
	env.Shell.Confine = true
	result := call(t, env, "run_powershell", args{"script": "touch ran"})
	require.Contains(t, result.Text,
		`ERROR: [shell] sandbox = "workspace" needs bubblewrap (bwrap), which is not installed, so no script is run`)
	bin := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(bin, "bwrap"), []byte("#!/bin/sh\necho 'bwrap: no' >&2\nexit 1\n"),
		0o755))
	env.Shell.PathPrepend = []string{bin}
	result = call(t, env, "run_powershell", args{"script": "touch ran"})
	require.Contains(t, result.Text,
		`ERROR: [shell] sandbox = "workspace" is not possible here, so no script is run; use the file tools instead (`)
	require.NoFileExists(t, filepath.Join(dir, "ran"))
	require.NoFileExists(t, filepath.Join(dir, ".env"))
}
