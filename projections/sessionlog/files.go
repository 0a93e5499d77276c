package sessionlog

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"
)

// disk is a folder that counts the files opened in it.
type disk struct {
	*os.Root
	opened *atomic.Int64 // number of files and folders opened here and below
}

func newDisk(root *os.Root) *disk { return &disk{Root: root, opened: new(atomic.Int64)} }

// OpenFile is like os.Root.OpenFile.
func (d *disk) OpenFile(name string, flag int, perm os.FileMode) (*os.File, error) {
	d.opened.Add(1)
	return d.Root.OpenFile(name, flag, perm)
}

// ReadFile is like os.Root.ReadFile.
func (d *disk) ReadFile(name string) ([]byte, error) {
	d.opened.Add(1)
	return d.Root.ReadFile(name)
}

// WriteFile is like os.Root.WriteFile.
func (d *disk) WriteFile(name string, b []byte, perm os.FileMode) error {
	d.opened.Add(1)
	return d.Root.WriteFile(name, b, perm)
}

// below opens a subfolder.
func (d *disk) below(name string) (*disk, error) {
	d.opened.Add(1)
	root, err := d.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	return &disk{Root: root, opened: d.opened}, nil
}

// held is the open folder of one session, with the log files that were written to.
type held struct {
	*disk
	parent *disk
	name   string // relative to parent
	is     os.FileInfo
	files  map[string]heldFile
}

type heldFile struct {
	*os.File
	is os.FileInfo
}

// hold opens a session's folder; it returns errChanged if there is none.
func hold(parent *disk, name string) (*held, error) {
	dir, err := parent.below(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, errChanged
	}
	if err != nil {
		return nil, err
	}
	is, err := dir.Stat(".")
	if err != nil {
		return nil, errors.Join(err, dir.Close())
	}
	return &held{disk: dir, parent: parent, name: name, is: is, files: map[string]heldFile{}}, nil
}

// inPlace reports whether the folder is still where it was opened, and not replaced by a link.
// Checking by path opens nothing; a moved project is checked through its own folder.
func (h *held) inPlace() bool {
	info, err := os.Lstat(filepath.Join(h.parent.Name(), filepath.FromSlash(h.name)))
	if err == nil && os.SameFile(info, h.is) {
		return true
	}
	info, err = h.parent.Lstat(h.name)
	return err == nil && os.SameFile(info, h.is)
}

// as reports whether a file has the given size and, if it is open, is still the same file.
func (h *held) as(file string, size int64) bool {
	info, err := h.Lstat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() != size {
		return false
	}
	f, open := h.files[file]
	return !open || os.SameFile(info, f.is)
}

// file opens a log file for writing, unless it is open; it returns errChanged if there is none.
func (h *held) file(name string) (*os.File, error) {
	if f, open := h.files[name]; open {
		return f.File, nil
	}
	f, err := h.OpenFile(name, os.O_WRONLY, filePerm)
	if errors.Is(err, os.ErrNotExist) {
		return nil, errChanged
	}
	if err != nil {
		return nil, err
	}
	is, err := f.Stat()
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	h.files[name] = heldFile{f, is}
	return f, nil
}

// release closes the folder and its files.
func (h *held) release() error {
	var err error
	for name, f := range h.files { // order-independent: each is closed
		if e := f.Close(); e != nil {
			err = errors.Join(err, fmt.Errorf("close %s: %w", name, e))
		}
	}
	return errors.Join(err, h.Close())
}
