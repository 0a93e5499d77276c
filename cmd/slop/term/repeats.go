package term

import (
	"bytes"
	"fmt"
	"io"
	"sync"
	"time"
)

// repeatPause is how long repetitions of a line of the operator's log are held back, and maxRepeats is the number of
// different lines that are remembered for this.
const (
	repeatPause = 10 * time.Second
	maxRepeats  = 1000
)

// repeats writes the operator's log without repetitions: messages of retries while a bus is away appear once in 10 s,
// with the number of lines held back.
type repeats struct {
	out   io.Writer
	clock func() time.Time

	mu   sync.Mutex
	said map[string]*repeat // by line, without its time
}

type repeat struct {
	at   time.Time
	held int
}

// Write takes one whole line that begins with its time, as slog's text handler
// writes it.
func (r *repeats) Write(line []byte) (int, error) {
	_, text, _ := bytes.Cut(line, []byte(" "))
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.clock()
	last := r.said[string(text)]
	if last != nil && now.Sub(last.at) < repeatPause {
		last.held++
		return len(line), nil
	}
	if r.said == nil || len(r.said) >= maxRepeats {
		r.said = map[string]*repeat{}
	}
	r.said[string(text)] = &repeat{at: now}
	if last == nil || last.held == 0 {
		return r.out.Write(line)
	}
	if _, err := fmt.Fprintf(r.out, "%s held_back=%d\n", bytes.TrimSuffix(line, []byte("\n")), last.held); err != nil {
		return 0, err
	}
	return len(line), nil
}
