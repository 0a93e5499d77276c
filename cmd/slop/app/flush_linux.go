package app

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// flushTyped drops what was typed on a terminal before the question stood there.
func flushTyped(in io.Reader) {
	if f, ok := in.(*os.File); ok && isTerminal(f) {
		_ = unix.IoctlSetInt(int(f.Fd()), unix.TCFLSH, unix.TCIFLUSH)
	}
}
