package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAScriptCannotReadTheKeysOfTheEngine looks where a script finds its parent's environment.
func TestAScriptCannotReadTheKeysOfTheEngine(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	self, err := os.Executable()
	require.NoError(t, err)
	program, err := os.ReadFile(self)
	require.NoError(t, err)
	slop := filepath.Join(dir, "slop") // under this name the test binary is the command, see TestMain
	require.NoError(t, os.WriteFile(slop, program, 0o755))
	project := filepath.Join(dir, "project")
	require.NoError(t, os.Mkdir(project, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(project, "a.txt"), []byte("still readable\n"), 0o644))
	run := func(args ...string) string {
		cmd := exec.CommandContext(t.Context(), slop, append([]string{"--project", project, "tool", "call", "--yes"},
			args...)...)
		cmd.Dir = project
		cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + project, "MODEL_API_KEY=hunter2-key"}
		if os.Getuid() == 0 { // root reads everything
			const nobody = 65534
			require.NoError(t, os.Chown(project, nobody, nobody))
			require.NoError(t, os.Chmod(filepath.Dir(dir), 0o755))
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		}
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, "%s", out)
		return string(out)
	}
	script := `{"script":"echo begun; tr '\\0' '\\n' </proc/$PPID/environ; cat /proc/$PPID/cmdline | head -c 20; exit 0"}`
	out := run("run_powershell", "--args", script)
	require.Contains(t, out, "STDOUT:\nbegun\n")
	require.NotContains(t, out, "hunter2-key")
	require.Contains(t, out, "Permission denied")
	require.Contains(t, run("read_file", "--args", `{"path":"a.txt"}`), "still readable")
}
