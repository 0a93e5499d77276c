//go:build !unix

package doctor

import "errors"

// freeSpace is not supported on this system.
func freeSpace(string) (int64, error) {
	return 0, errors.New("free space cannot be read on this system")
}
