package program

import (
	"bytes"
	"cmp"
	"errors"
	"sync"
)

// Limits of a program's output, in bytes.
const (
	// MaxLine limits one line.
	MaxLine = 4 << 20
	// MaxOutput limits all lines of a run.
	MaxOutput = 32 << 20
)

var (
	errLongLine = errors.New("a line of the program's output is longer than 4 MiB")
	errTooMuch  = errors.New("the program wrote more than 32 MiB")
)

// lines splits the program's output into lines that wait to be read. Writing never blocks, because
// the program could otherwise end before its last line is read.
type lines struct {
	mu    sync.Mutex
	whole [][]byte
	rest  []byte
	total int
	err   error         // why no more output is accepted
	moved chan struct{} // has one entry if there is something to take
}

func newLines() *lines { return &lines{moved: make(chan struct{}, 1)} }

// write adds bytes to the output. It does not keep the slice.
func (l *lines) write(b []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	defer l.wake()
	if l.total += len(b); l.total > MaxOutput {
		l.err = cmp.Or(l.err, errTooMuch)
	}
	for l.err == nil && len(b) > 0 {
		head, tail, ends := bytes.Cut(b, []byte("\n"))
		if len(l.rest)+len(head) > MaxLine {
			l.err = errLongLine
			return
		}
		l.rest, b = append(l.rest, head...), tail
		if ends {
			l.whole, l.rest = append(l.whole, l.rest), nil
		}
	}
}

func (l *lines) wake() {
	select {
	case l.moved <- struct{}{}:
	default:
	}
}

// take returns the complete lines that are waiting. At the end of the output, text without a line
// end counts as a line.
func (l *lines) take(end bool) ([][]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := l.whole
	if end && l.err == nil && len(l.rest) > 0 {
		out, l.rest = append(out, l.rest), nil
	}
	l.whole = nil
	return out, l.err
}
