package term

import (
	"io"
	"os"
	"sync"

	"golang.org/x/term"
)

// Stdout is where results go. It keeps the first error of a write, so that a
// command whose result nobody got does not end as if it had worked.
type Stdout struct {
	To io.Writer

	mu  sync.Mutex
	err error
}

// Write writes on.
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

// Failure is the first error of a write.
func (s *Stdout) Failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// IsTerminal tells whether a stream is a terminal.
func IsTerminal(v any) bool {
	f, ok := fileOf(v)
	return ok && term.IsTerminal(int(f.Fd()))
}

// terminalWidth is how many columns a terminal has; 80 where it does not say.
func terminalWidth(v any) int {
	if f, ok := fileOf(v); ok {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
	}
	return 80
}

func fileOf(v any) (*os.File, bool) {
	if s, ok := v.(*Stdout); ok {
		v = s.To
	}
	f, ok := v.(*os.File)
	return f, ok
}
