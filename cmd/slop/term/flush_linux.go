package term

import (
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// FlushTyped drops input that was typed on a terminal before the question was shown, also a line without its end, and
// reports whether it did.
func FlushTyped(in io.Reader) bool {
	f, ok := in.(*os.File)
	return ok && IsTerminal(f) && unix.IoctlSetInt(int(f.Fd()), unix.TCFLSH, unix.TCIFLUSH) == nil
}
