//go:build !linux

package mcp

// markName is the environment variable that marks each server.
const markName = "SLOP_MCP_OWNER"

func newMark() string { return "" }

// killMarked does nothing, because the environment of other processes cannot be read here.
func killMarked(func(mark string) bool) int { return 0 }

// KillOrphans does nothing here. Servers that read standard input end with the process that started them.
func KillOrphans() int { return 0 }
