package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// openFlags keep an open of a pipe from waiting for its other end.
	openFlags = syscall.O_NONBLOCK
	// deletedSuffix is what Linux appends to the name of an open file that has none any more.
	deletedSuffix = " (deleted)"
)

// kernelName returns the absolute path under which the kernel knows an open
// file, or empty if it cannot be learned.
func kernelName(f *os.File) string {
	name, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(int(f.Fd())))
	if err != nil {
		return ""
	}
	return name
}

// withoutRoot returns an open directory of an os.Root as a file whose ReadDir
// does not look at each entry. The caller closes both.
func withoutRoot(dir *os.File) *os.File {
	fd, err := unix.FcntlInt(dir.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return dir
	}
	return os.NewFile(uintptr(fd), dir.Name())
}

// identity reports whether two names are one file, and how many names it has.
type identity struct {
	device, inode, links uint64
}

func identityOf(info fs.FileInfo) identity {
	st, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return identity{}
	}
	return identity{device: uint64(st.Dev), inode: st.Ino, links: uint64(st.Nlink)}
}

// renameNew renames inside dir and fails with fs.ErrExist where the new name is taken, or with
// errors.ErrUnsupported where the file system cannot promise that.
func renameNew(dir *os.File, from, to string) error {
	fd := int(dir.Fd())
	err := unix.Renameat2(fd, from, fd, to, unix.RENAME_NOREPLACE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		return errors.ErrUnsupported
	}
	return err
}

// changeTime returns when the system last noted a change of a file.
func changeTime(info fs.FileInfo) time.Time {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(st.Ctim.Unix())
	}
	return time.Time{}
}
