package term

import (
	"bufio"
	"errors"
	"io"
)

// ErrDropped reports that what was typed so far was dropped.
var ErrDropped = errors.New("what was typed so far was dropped")

// TypedLines returns a function that reads a line, and one that drops what was typed so far, including an unfinished
// line. For each drop, read returns ErrDropped once: everything that it returned earlier was typed before the drop, no
// matter when the caller receives it. drop is nil where the system or the input does not allow it.
func TypedLines(in io.Reader) (read func() (string, error), drop func()) {
	lines := bufio.NewReader(in)
	await, drop := droppable(in)
	return func() (string, error) {
		if await != nil && lines.Buffered() == 0 {
			if err := await(); err != nil {
				return "", err
			}
		}
		return lines.ReadString('\n')
	}, drop
}
