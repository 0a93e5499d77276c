//go:build !unix

package sandbox

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

// isolated returns nil, because there are no sessions here.
func isolated() *syscall.SysProcAttr { return nil }

// awaitExit returns when the program has ended.
func awaitExit(cmd *exec.Cmd) { _ = cmd.Wait() }

// pipeName returns "", because pipes cannot be found by name here.
func pipeName(*os.File) string { return "" }

// killTree kills the program and the descendants that taskkill finds.
func killTree(cmd *exec.Cmd, _ string, _ ...string) int {
	_ = exec.Command("taskkill", "/F", "/T", "/PID", strconv.Itoa(cmd.Process.Pid)).Run()
	_ = cmd.Process.Kill()
	return 0
}

func exitCode(state *os.ProcessState) int { return state.ExitCode() }
