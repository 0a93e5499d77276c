//go:build !linux

package app

import "io"

// flushTyped does nothing where the system has no such call that we know.
func flushTyped(io.Reader) {}
