//go:build unix

package app

import (
	"os/exec"
	"syscall"
)

// Background gives a process a session of its own, so that it outlives the terminal.
func background(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
