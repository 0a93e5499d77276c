//go:build !linux

package term

import "io"

// FlushTyped does nothing on this system, and returns false.
func FlushTyped(io.Reader) bool { return false }
