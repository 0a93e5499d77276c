package tool

import (
	"context"
	"sync"
)

// barrier opens when everything that was put behind it is done.
type barrier struct {
	mu      sync.Mutex
	pending int
	sealed  bool // nothing is put behind it any more
	open    chan struct{}
}

func newBarrier() *barrier { return &barrier{open: make(chan struct{})} }

func (b *barrier) add() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pending++
}

func (b *barrier) done() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pending--
	b.openIfDone()
}

func (b *barrier) seal() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sealed = true
	b.openIfDone()
}

func (b *barrier) openIfDone() {
	if b.sealed && b.pending == 0 {
		close(b.open)
	}
}

func (b *barrier) wait(ctx context.Context) error {
	select {
	case <-b.open:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// turns orders calls: those that share go at the same time, one that is alone goes when all before it
// are done and before all behind it.
type turns struct {
	alone  *barrier // the last call that is alone; nil: there was none
	shared *barrier // the calls behind it
}

// next gives what a call has to wait for, and what it ends.
func (t *turns) next(alone bool) (waits []*barrier, ends *barrier) {
	if t.shared == nil {
		t.shared = newBarrier()
	}
	if t.alone != nil {
		waits = append(waits, t.alone)
	}
	if !alone {
		t.shared.add()
		return waits, t.shared
	}
	t.shared.seal()
	waits = append(waits, t.shared)
	t.alone, t.shared = newBarrier(), nil
	t.alone.add()
	t.alone.seal()
	return waits, t.alone
}
