//go:build unix

package doctor

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// freeSpace returns how many bytes this user may still write below dir.
func freeSpace(dir string) (int64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, fmt.Errorf("free space of %s: %w", dir, err)
	}
	return int64(st.Bavail) * int64(st.Bsize), nil
}
