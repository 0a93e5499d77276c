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

// identity tells whether two names are one file, and how many names it has.
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

// keepOwner gives f the owner and group of the file it replaces, as far as the process may.
func keepOwner(f *os.File, old fs.FileInfo) {
	if st, ok := old.Sys().(*syscall.Stat_t); ok {
		_ = f.Chown(int(st.Uid), int(st.Gid))
	}
}

// tryLock takes an advisory lock on an open directory without waiting. Systems that cannot lock
// directories count as locked; the comparison of hashes before each rename remains.
func tryLock(dir *os.File) (bool, error) {
	err := syscall.Flock(int(dir.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return false, nil
	case errors.Is(err, syscall.EINTR):
		return false, nil
	case errors.Is(err, syscall.ENOLCK), errors.Is(err, syscall.ENOTSUP), errors.Is(err, syscall.EBADF):
		return true, nil
	}
	return err == nil, err
}

// syncDirectory makes a rename inside dir durable.
func syncDirectory(dir *os.File) error { return dir.Sync() }

// renameNew is not available here.
func renameNew(*os.File, string, string) error { return errors.ErrUnsupported }
