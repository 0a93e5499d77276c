//go:build unix

package bench

import (
	"io/fs"
	"syscall"
)

// allocated returns the space that a file takes on the disk.
func allocated(info fs.FileInfo) int64 {
	if s, ok := info.Sys().(*syscall.Stat_t); ok {
		return s.Blocks * 512
	}
	return info.Size()
}
