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
	// openFlags prevent opening a pipe from blocking.
	openFlags = syscall.O_NONBLOCK
	// deletedSuffix is the text that Linux appends to the name of an open file that was deleted.
	deletedSuffix = " (deleted)"
)

// kernelName returns the kernel's absolute path of an open file, or "" if it is unknown.
func kernelName(f *os.File) string {
	name, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(int(f.Fd())))
	if err != nil {
		return ""
	}
	return name
}

// withoutRoot returns an open directory of an os.Root as a file whose ReadDir does not stat each entry. The
// caller must close both.
func withoutRoot(dir *os.File) *os.File {
	fd, err := unix.FcntlInt(dir.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return dir
	}
	return os.NewFile(uintptr(fd), dir.Name())
}

// identity identifies a file regardless of its name and counts its names.
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

// renameNew renames inside dir. It fails with fs.ErrExist if the new name exists, or with errors.ErrUnsupported
// if the file system cannot guarantee that.
func renameNew(dir *os.File, from, to string) error {
	fd := int(dir.Fd())
	err := unix.Renameat2(fd, from, fd, to, unix.RENAME_NOREPLACE)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) {
		return errors.ErrUnsupported
	}
	return err
}

// changeTime returns the file's status change time (ctime).
func changeTime(info fs.FileInfo) time.Time {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(st.Ctim.Unix())
	}
	return time.Time{}
}
