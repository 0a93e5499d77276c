//go:build !linux

package term

import "io"

// FlushTyped does nothing on this system.
func FlushTyped(io.Reader) {}

func droppable(io.Reader) (await func() error, drop func()) { return nil, nil }
