//go:build !linux

package mcp

// markName is the variable that each server has in its environment.
const markName = "SLOP_MCP_OWNER"

func newMark() string { return "" }

// killMarked does nothing here: the environment of other processes cannot be read.
func killMarked(func(mark string) bool) int { return 0 }

// KillOrphans does nothing here; servers that read standard input end with the process that started them.
func KillOrphans() int { return 0 }
