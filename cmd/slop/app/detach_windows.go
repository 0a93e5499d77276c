package app

import (
	"os/exec"
	"syscall"
)

// background gives a process its own process group, so that it outlives the console.
func background(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}
