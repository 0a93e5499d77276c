package runtime

import (
	"context"
	"strings"
	"sync"

	"manualslop/events"
)

// flights are what is carried out right now.
type flights struct {
	mu      sync.Mutex
	running map[string]chan struct{} // closed when it has ended
}

// rest waits until nothing whose key begins so is under way, or ctx ends.
func (f *flights) rest(ctx context.Context, prefix string) {
	for {
		done := f.any(prefix)
		if done == nil {
			return
		}
		select {
		case <-done:
		case <-ctx.Done():
			return
		}
	}
}

// any is a call under way whose key begins so; nil: there is none.
func (f *flights) any(prefix string) chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	// order-independent: any of them
	for key, done := range f.running {
		if strings.HasPrefix(key, prefix) {
			return done
		}
	}
	return nil
}

// only runs do unless the same request is under way here. A machine that is too
// busy to show progress, and a pool that is made anew, hand it out again; that
// delivery is left to the one under way, whose progress keeps both alive.
func (f *flights) only(key string, do func() error) error {
	if !f.begin(key) {
		return events.ErrTakenOver
	}
	defer f.end(key)
	return do()
}

// begin begins a flight; false if one is under way with this key.
func (f *flights) begin(key string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.running[key] != nil {
		return false
	}
	if f.running == nil {
		f.running = map[string]chan struct{}{}
	}
	f.running[key] = make(chan struct{})
	return true
}

// end ends a flight.
func (f *flights) end(key string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	close(f.running[key])
	delete(f.running, key)
}
