//go:build !linux && !darwin

package sandbox

import (
	"io/fs"
	"time"
)

// changeTime returns the zero time, because the change time is not read on this platform.
func changeTime(fs.FileInfo) time.Time { return time.Time{} }
