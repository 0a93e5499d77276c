//go:build !linux

package term

import "io"

// flushTyped does nothing where the system has no such call that we know.
func FlushTyped(io.Reader) {}
