// Package livetail passes on the last lines that a program has written while it still runs.
//
// The lines are never stored and may be lost. Only whole lines are passed on, after the mask was applied to
// everything that is kept, so that a secret stays hidden even if it arrives in pieces or a limit would cut it.
package livetail

import (
	"bytes"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits of a tail.
const (
	// MaxLines is how many lines are passed on at once, the newest last.
	MaxLines = 3
	// MaxLine is how much of a line is passed on, in bytes.
	MaxLine = 512
	// MaxKept is how much of the stream the mask sees, in bytes. A line of that length or more is
	// left out.
	MaxKept = 32 << 10
	// Pause is the minimum time between two messages.
	Pause = 200 * time.Millisecond
)

// Tail follows one stream of a program. Create it with New.
type Tail struct {
	mask  func(string) string
	send  func([]string)
	in    chan []byte
	ended chan struct{}
	over  chan struct{}
}

// New returns a tail that calls send with the last lines, masked and without blank ones. The caller
// must call Close.
func New(mask func(string) string, send func(lines []string)) *Tail {
	t := &Tail{mask: mask, send: send, in: make(chan []byte, 16), ended: make(chan struct{}), over: make(chan struct{})}
	go t.run()
	return t
}

// Write takes a piece of the stream and keeps no reference to it.
func (t *Tail) Write(p []byte) {
	select {
	case t.in <- bytes.Clone(p):
	case <-t.over:
	}
}

// Close ends the tail. Nothing is sent after it has returned.
func (t *Tail) Close() {
	close(t.ended)
	<-t.over
}

func (t *Tail) run() {
	defer close(t.over)
	pause := time.NewTimer(0)
	defer pause.Stop()
	var s stream
	var sent []string
	rests, changed := true, false
	for {
		select {
		case p := <-t.in:
			s.take(p)
			changed = true
		case <-pause.C:
			rests = false
		case <-t.ended:
			return
		}
		if rests || !changed {
			continue
		}
		changed = false
		if lines := s.last(t.mask); len(lines) > 0 && !slices.Equal(lines, sent) {
			t.send(lines)
			sent, rests = lines, true
			pause.Reset(Pause)
		}
	}
}

// stream is the end of a stream, from the beginning of a line.
type stream struct {
	kept  []byte
	skips bool // the rest of a line that is too long is left out
}

// take adds a piece.
func (s *stream) take(p []byte) {
	if s.skips {
		at := bytes.IndexAny(p, "\r\n")
		if at < 0 {
			return
		}
		p, s.skips = p[at+1:], false
	}
	s.kept = append(s.kept, p...)
	over := len(s.kept) - MaxKept
	if over <= 0 {
		return
	}
	at := bytes.IndexAny(s.kept[over:], "\r\n")
	if at < 0 {
		s.kept, s.skips = nil, true
		return
	}
	s.kept = bytes.Clone(s.kept[over+at+1:])
}

// last returns the last whole lines, masked and then cut.
func (s *stream) last(mask func(string) string) []string {
	text := mask(string(s.kept[:bytes.LastIndexAny(s.kept, "\r\n")+1]))
	var out []string
	for _, line := range strings.FieldsFunc(text, func(r rune) bool { return r == '\r' || r == '\n' }) {
		if strings.TrimSpace(line) != "" {
			out = append(out, head(line))
		}
	}
	return out[max(0, len(out)-MaxLines):]
}

// head returns the beginning of a line without a character in pieces.
func head(line string) string {
	if len(line) <= MaxLine {
		return line
	}
	n := MaxLine
	for !utf8.RuneStart(line[n]) {
		n--
	}
	return line[:n]
}
