//go:build !linux

package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// flush makes everything below the folders durable. Names are durable only if the system can flush a folder.
func flush(folders ...string) error {
	var failed error
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
			if err != nil || !entry.Type().IsRegular() && !entry.IsDir() {
				return err
			}
			f, err := os.OpenFile(path, openForFlush(entry), 0)
			if err != nil {
				return nil
			}
			err = f.Sync()
			if entry.IsDir() {
				err = nil // Windows does not allow it
			}
			return errors.Join(err, f.Close())
		})
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("git: flush %s: %w", folder, err))
		}
	}
	return failed
}

// openForFlush returns the open flags for flushing: Windows needs write access.
func openForFlush(entry fs.DirEntry) int {
	if entry.IsDir() {
		return os.O_RDONLY
	}
	return os.O_RDWR
}
