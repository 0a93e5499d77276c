package term

import (
	"cmp"
	"io"
	"os"
	"sync"

	"golang.org/x/term"
)

// Stdout is the stream for results. It keeps the first write error, so that a command whose result was lost does not
// appear to have succeeded.
type Stdout struct {
	To io.Writer

	mu  sync.Mutex
	err error
}

// Write writes to To and remembers its first error.
func (s *Stdout) Write(p []byte) (int, error) {
	n, err := s.To.Write(p)
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.err == nil {
			s.err = err
		}
	}
	return n, err
}

// Failure returns the first write error.
func (s *Stdout) Failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// IsTerminal reports whether a stream is a terminal.
func IsTerminal(v any) bool {
	f, ok := fileOf(v)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Draws reports whether a stream is a terminal that accepts escape sequences. A terminal with TERM=dumb gets plain
// lines.
func Draws(v any) bool { return IsTerminal(v) && os.Getenv("TERM") != "dumb" }

// terminalSize returns how many columns and lines a terminal has; 80 and 24 if that is unknown.
func terminalSize(v any) (width, height int) {
	if f, ok := fileOf(v); ok {
		if width, height, err := term.GetSize(int(f.Fd())); err == nil {
			return cmp.Or(width, 80), cmp.Or(height, 24)
		}
	}
	return 80, 24
}

// Under returns the underlying writer.
func (s *Stdout) Under() any { return s.To }

// fileOf returns the file that a stream is, or that is under it.
func fileOf(v any) (*os.File, bool) {
	for {
		over, is := v.(interface{ Under() any })
		if !is {
			break
		}
		v = over.Under()
	}
	f, ok := v.(*os.File)
	return f, ok
}
