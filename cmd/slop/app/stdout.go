package app

import (
	"io"
	"os"
	"sync"

	"golang.org/x/term"
)

// stdout is where results go. It keeps the first error of a write, so that a
// command whose result nobody got does not end as if it had worked.
type stdout struct {
	to io.Writer

	mu  sync.Mutex
	err error
}

// Write writes on.
func (s *stdout) Write(p []byte) (int, error) {
	n, err := s.to.Write(p)
	if err != nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.err == nil {
			s.err = err
		}
	}
	return n, err
}

// failure is the first error of a write.
func (s *stdout) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// isTerminal tells whether a stream is a terminal.
func isTerminal(v any) bool {
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
	if s, ok := v.(*stdout); ok {
		v = s.to
	}
	f, ok := v.(*os.File)
	return f, ok
}
