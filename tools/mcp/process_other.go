//go:build !unix

package mcp

import "os/exec"

// ownGroup does nothing here, so only the program itself is ended.
func ownGroup(*exec.Cmd) {}

func terminate(cmd *exec.Cmd) { _ = cmd.Process.Kill() }
func kill(cmd *exec.Cmd)      { _ = cmd.Process.Kill() }
