package git

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// flush makes everything below the folders durable, including names. It flushes their whole file systems, because
// git does not flush folders and worktree files, and there is no complete list of what it wrote.
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
