// Package durable writes files and folders so that they survive a loss of power.
package durable

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// WriteFile is like [Write] for content in memory.
func WriteFile(path string, content []byte) error {
	return Write(path, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
}

// Write atomically replaces a file with the output of write: a reader sees either the old or the new bytes, even
// after a loss of power. Only this user may read the file. Its folder must exist. After an error the old file
// remains, unless the only step that failed was making the new name durable.
func Write(path string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("write %s: %w", path, err), os.Remove(f.Name()))
		}
	}()
	if err := errors.Join(write(f), f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return err
	}
	return SyncFolder(filepath.Dir(path))
}

// SyncFolder makes the names in a folder durable. On Windows the system does that.
func SyncFolder(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	return syncPath(dir, os.O_RDONLY)
}

func syncPath(path string, flag int) error {
	f, err := os.OpenFile(path, flag, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// MakeFolder durably creates a private folder and its parents. An existing
// folder is not changed.
func MakeFolder(dir string) error {
	if _, err := os.Stat(dir); err == nil {
		return nil
	}
	parent := filepath.Dir(dir)
	if parent != dir {
		if err := MakeFolder(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return SyncFolder(parent)
}

// SyncTree makes everything below a folder durable. It skips files that are deleted in the meantime.
func SyncTree(dir string) error {
	return filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err == nil && e.IsDir():
			err = SyncFolder(path)
		case err == nil && e.Type().IsRegular():
			err = syncPath(path, os.O_RDWR) // Windows flushes only files opened for writing
		}
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return err
	})
}
