package term

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// FlushTyped drops input that was typed on a terminal before the question was shown.
func FlushTyped(in io.Reader) {
	if f, ok := in.(*os.File); ok && IsTerminal(f) {
		_ = unix.IoctlSetInt(int(f.Fd()), unix.TCFLSH, unix.TCIFLUSH)
	}
}
