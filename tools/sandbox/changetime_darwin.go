package sandbox

import (
	"io/fs"
	"syscall"
	"time"
)

// changeTime returns when the system last noted a change of a file.
func changeTime(info fs.FileInfo) time.Time {
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		return time.Unix(st.Ctimespec.Unix())
	}
	return time.Time{}
}
