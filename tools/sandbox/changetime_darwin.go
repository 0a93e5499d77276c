package sandbox

import (
	"io/fs"
	"syscall"
	"time"
)

// changeTime returns the file's status change time (ctime).
func changeTime(info fs.FileInfo) time.Time {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(st.Ctimespec.Unix())
	}
	return time.Time{}
}
