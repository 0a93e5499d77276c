package tool

import (
	"context"
	"sync"
)

// barrier opens when every call added to it is done.
type barrier struct {
	mu      sync.Mutex
	pending int
	sealed  bool // no more calls are added
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

// turns orders calls: shared calls run at the same time; an exclusive call starts when all calls before it are done,
// and all calls after it wait for it.
type turns struct {
	alone  *barrier // the last exclusive call; nil if there was none
	shared *barrier // the shared calls after it
}

// next returns what a call has to wait for, and the barriers that it belongs to.
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
