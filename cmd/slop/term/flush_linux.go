package term

import (
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// FlushTyped drops input that was typed on a terminal before the question was shown, including an unfinished line. It
// fails only if the terminal is gone, and then no line can be read from it either.
func FlushTyped(in io.Reader) {
	if f, ok := in.(*os.File); ok && IsTerminal(f) {
		_ = unix.IoctlSetInt(int(f.Fd()), unix.TCFLSH, unix.TCIFLUSH)
	}
}

// droppable returns a function that waits for input of a terminal, and one that ends the wait. The wait then flushes
// the terminal itself, so that no line is read between the end and the flush. Both are nil without a terminal.
func droppable(in io.Reader) (await func() error, drop func()) {
	f, ok := in.(*os.File)
	if !ok || !IsTerminal(f) {
		return nil, nil
	}
	ends, end, err := os.Pipe()
	if err != nil {
		return nil, nil
	}
	await = func() error {
		fds := []unix.PollFd{{Fd: int32(f.Fd()), Events: unix.POLLIN}, {Fd: int32(ends.Fd()), Events: unix.POLLIN}}
		for {
			_, err := unix.Poll(fds, -1)
			switch {
			case errors.Is(err, unix.EINTR):
				continue
			case err != nil || fds[1].Revents == 0:
				return err
			}
			if _, err := ends.Read(make([]byte, 1)); err != nil {
				return err
			}
			FlushTyped(in)
			return ErrDropped
		}
	}
	return await, func() { _, _ = end.Write([]byte{0}) } // a pipe that both ends keep open
}
