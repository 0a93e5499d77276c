//go:build !linux && !darwin && !freebsd && !netbsd && !openbsd && !dragonfly

package sandbox

import (
	"errors"
	"io/fs"
	"os"
)

const (
	// openFlags is zero, because pipes have no names in directories here.
	openFlags = 0
	// deletedSuffix matches nothing, because only Linux marks deleted names.
	deletedSuffix = "\x00"
)

// kernelName returns "", because there is no portable way to get the name.
func kernelName(*os.File) string { return "" }

// withoutRoot returns the directory itself.
func withoutRoot(dir *os.File) *os.File { return dir }

// identity stays empty here: hard links are not detected.
type identity struct {
	device, inode, links uint64
}

func identityOf(fs.FileInfo) identity { return identity{} }

// keepOwner does nothing: a new file belongs to the user of the process.
func keepOwner(*os.File, fs.FileInfo) {}

// tryLock always succeeds; the comparison of hashes before each rename remains.
func tryLock(*os.File) (bool, error) { return true, nil }

// syncDirectory does nothing, because directories cannot be synced here.
func syncDirectory(*os.File) error { return nil }

// renameNew is not available here.
func renameNew(*os.File, string, string) error { return errors.ErrUnsupported }
