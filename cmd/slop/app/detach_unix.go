//go:build unix

package app

import (
	"os/exec"
	"syscall"
)

// background gives a process its own session, so that it outlives the terminal.
func background(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
