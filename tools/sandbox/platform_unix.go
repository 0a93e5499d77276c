//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

const (
	// openFlags prevent opening a pipe from blocking.
	openFlags = syscall.O_NONBLOCK
	// deletedSuffix matches nothing, because only Linux marks deleted names.
	deletedSuffix = "\x00"
)

// kernelName returns "", because these systems have no portable way to get the name.
func kernelName(*os.File) string { return "" }

// withoutRoot returns the directory itself.
func withoutRoot(dir *os.File) *os.File { return dir }

// identity identifies a file regardless of its name and counts its names.
type identity struct {
	device, inode, links uint64
}

func identityOf(info fs.FileInfo) identity {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return identity{}
	}
	return identity{device: uint64(st.Dev), inode: uint64(st.Ino), links: uint64(st.Nlink)}
}

// renameNew is not available here.
func renameNew(*os.File, string, string) error { return errors.ErrUnsupported }
