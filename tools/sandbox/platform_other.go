//go:build !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly

package sandbox

import (
	"errors"
	"io/fs"
	"os"
)

const (
	// openFlags: nothing to add, pipes have no names in directories here.
	openFlags = 0
	// deletedSuffix is the mark of a vanished name, which only Linux has.
	deletedSuffix = "\x00"
)

// kernelName is empty: there is no portable way to ask for it.
func kernelName(*os.File) string { return "" }

// withoutRoot leaves the directory as it is.
func withoutRoot(dir *os.File) *os.File { return dir }

// identity is empty here: hard links are not noticed.
type identity struct {
	device, inode, links uint64
}

func identityOf(fs.FileInfo) identity { return identity{} }

// keepOwner does nothing: a new file belongs to the user of the process.
func keepOwner(*os.File, fs.FileInfo) {}

// tryLock counts as locked; the comparison of hashes before each rename remains.
func tryLock(*os.File) (bool, error) { return true, nil }

// syncDirectory does nothing: directories cannot be synced here.
func syncDirectory(*os.File) error { return nil }

// renameNew is not available here.
func renameNew(*os.File, string, string) error { return errors.ErrUnsupported }
