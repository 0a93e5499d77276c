package git

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// flush makes everything that was written below some folders durable, including
// names. It flushes their whole file systems: git leaves folders and the files
// of a worktree to the system, and no list of what it wrote is complete.
func flush(folders ...string) error {
	var failed error
	for _, folder := range folders {
		f, err := os.Open(folder)
		if err == nil {
			err = errors.Join(unix.Syncfs(int(f.Fd())), f.Close())
		}
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("git: flush %s: %w", folder, err))
		}
	}
	return failed
}
