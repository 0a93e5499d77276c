//go:build unix && !linux

package sandbox

import (
	"os"
	"os/exec"
	"syscall"
)

// isolated puts the child into its own session without a terminal.
func isolated() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setsid: true} }

// awaitExit returns when the program has ended.
func awaitExit(cmd *exec.Cmd) { _ = cmd.Wait() }

// pipeName returns "", because pipes cannot be found by name here.
func pipeName(*os.File) string { return "" }

// killTree kills the program's group. Processes that left it are not found here.
func killTree(cmd *exec.Cmd, _ string, _ ...string) int {
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	return 0
}

func exitCode(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}
