package main

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"time"
)

// screen is what a command has printed; a test waits for what it will print.
type screen struct {
	mu      sync.Mutex
	text    bytes.Buffer
	seen    int           // how far a test has looked
	changed chan struct{} // closed and replaced when something is printed
}

func newScreen() *screen { return &screen{changed: make(chan struct{})} }

// Write shows what a command prints.
func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	close(s.changed)
	s.changed = make(chan struct{})
	return s.text.Write(p)
}

// String is all of it.
func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// find looks for text behind what was seen; later is closed when there is more.
func (s *screen) find(text string) (found bool, later <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	rest := s.text.String()[s.seen:]
	at := strings.Index(rest, text)
	if at < 0 {
		return false, s.changed
	}
	s.seen += at + len(text)
	return true, nil
}

// await waits for text until the command has ended.
func (s *screen) await(text string, ended <-chan struct{}) error {
	timeout := time.NewTimer(patience)
	defer timeout.Stop()
	for {
		found, later := s.find(text)
		if found {
			return nil
		}
		select {
		case <-later:
		case <-ended:
			if found, _ := s.find(text); found {
				return nil
			}
			return fmt.Errorf("the command ended without %q", text)
		case <-timeout.C:
			return fmt.Errorf("%q did not come", text)
		}
	}
}

// lines is every whole line of a text.
func lines(text string) []string {
	all := strings.Split(text, "\n")
	return all[:len(all)-1]
}
