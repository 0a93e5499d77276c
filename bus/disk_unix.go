//go:build unix

package bus

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// diskRoom returns the number of bytes that this user may still write below
// dir, and the size of the file system.
func diskRoom(dir string) (free, total int64, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, 0, fmt.Errorf("free disk space of %s: %w", dir, err)
	}
	return int64(st.Bavail) * int64(st.Bsize), int64(st.Blocks) * int64(st.Bsize), nil
}
