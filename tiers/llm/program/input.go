package program

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
	"sync"

	"manualslop/tiers/llm"
)

// input queues the messages for a program's standard input. Sending never blocks, however slowly
// the program reads.
type input struct {
	mu     sync.Mutex
	queue  [][]byte
	closed bool
	moved  chan struct{} // has one entry if there is something to do
	size   int64
	digest hash.Hash
}

func newInput() *input { return &input{moved: make(chan struct{}, 1), digest: sha256.New()} }

// send queues a value as one line of JSON.
func (in *input) send(v any) error {
	line, err := llm.PlainJSON(v)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	in.mu.Lock()
	defer in.mu.Unlock()
	if !in.closed {
		in.queue = append(in.queue, line)
		in.size += int64(len(line))
		_, _ = in.digest.Write(line)
	}
	in.wake()
	return nil
}

// close marks the end of the messages.
func (in *input) close() {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.closed = true
	in.wake()
}

func (in *input) wake() {
	select {
	case in.moved <- struct{}{}:
	default:
	}
}

// sum returns the digest and the size of everything that was queued.
func (in *input) sum() (string, int64) {
	in.mu.Lock()
	defer in.mu.Unlock()
	return hex.EncodeToString(in.digest.Sum(nil)), in.size
}

// talk writes the queued messages until the input is closed or the program has ended.
func (in *input) talk(w io.WriteCloser) {
	defer func() { _ = w.Close() }()
	for range in.moved {
		in.mu.Lock()
		queue, closed := in.queue, in.closed
		in.queue = nil
		in.mu.Unlock()
		for _, line := range queue {
			if _, err := w.Write(line); err != nil {
				return
			}
		}
		if closed {
			return
		}
	}
}
