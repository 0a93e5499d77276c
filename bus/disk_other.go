//go:build !unix

package bus

import "errors"

// diskRoom is not available on this system.
func diskRoom(string) (free, total int64, err error) { return 0, 0, errors.ErrUnsupported }
