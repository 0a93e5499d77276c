package runtime

import (
	"context"
	"strings"
	"sync"
)

// flights are the calls that this worker carries out right now. A machine that
// is too busy to say so in time gets the same call handed out again; that
// delivery waits for the one under way instead of taking it for dead.
type flights struct {
	mu      sync.Mutex
	running map[string]*flight
}

type flight struct {
	done chan struct{}
	err  error
}

// rest waits until nothing whose key begins so is under way, or ctx ends.
func (f *flights) rest(ctx context.Context, prefix string) {
	for {
		under := f.any(prefix)
		if under == nil {
			return
		}
		select {
		case <-under.done:
		case <-ctx.Done():
			return
		}
	}
}

// any is a call under way whose key begins so; nil: there is none.
func (f *flights) any(prefix string) *flight {
	f.mu.Lock()
	defer f.mu.Unlock()
	// order-independent: any of them
	for key, under := range f.running {
		if strings.HasPrefix(key, prefix) {
			return under
		}
	}
	return nil
}

// once runs do unless the same call is under way here; then it waits for that
// one and shares its result.
func (f *flights) once(ctx context.Context, key string, do func() error) error {
	f.mu.Lock()
	if under := f.running[key]; under != nil {
		f.mu.Unlock()
		select {
		case <-under.done:
			return under.err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	if f.running == nil {
		f.running = map[string]*flight{}
	}
	own := &flight{done: make(chan struct{})}
	f.running[key] = own
	f.mu.Unlock()
	own.err = do()
	f.mu.Lock()
	delete(f.running, key)
	f.mu.Unlock()
	close(own.done)
	return own.err
}
