//go:build !linux && !darwin

package sandbox

import (
	"io/fs"
	"time"
)

// changeTime is not asked for here.
func changeTime(fs.FileInfo) time.Time { return time.Time{} }
