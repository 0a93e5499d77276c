//go:build darwin || freebsd || netbsd || openbsd || dragonfly

package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

const (
	// openFlags keep an open of a pipe from waiting for its other end.
	openFlags = syscall.O_NONBLOCK
	// deletedSuffix is the mark of a vanished name, which only Linux has.
	deletedSuffix = "\x00"
)

// kernelName is empty: these systems have no portable way to ask for it.
func kernelName(*os.File) string { return "" }

// withoutRoot leaves the directory as it is.
func withoutRoot(dir *os.File) *os.File { return dir }

// identity reports whether two names are one file, and how many names it has.
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
