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

// only runs do unless the same request is under way here. A machine that is too
// busy to show progress, and a pool that is made anew, hand it out again; that
// delivery is left to the one under way, whose progress keeps both alive.
func (f *flights) only(key string, do func() error) error {
	own, under := f.begin(key)
	if under != nil {
		return events.ErrTakenOver
	}
	return f.land(key, own, do)
}

// once runs do unless the same is under way here; then it waits for that one and
// shares its result.
func (f *flights) once(ctx context.Context, key string, do func() error) error {
	own, under := f.begin(key)
	if under == nil {
		return f.land(key, own, do)
	}
	select {
	case <-under.done:
		return under.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// begin begins a flight, or finds the one that is under way with this key.
func (f *flights) begin(key string) (own, under *flight) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if under = f.running[key]; under != nil {
		return nil, under
	}
	if f.running == nil {
		f.running = map[string]*flight{}
	}
	own = &flight{done: make(chan struct{})}
	f.running[key] = own
	return own, nil
}

// land runs do and takes its flight off.
func (f *flights) land(key string, own *flight, do func() error) error {
	own.err = do()
	f.mu.Lock()
	delete(f.running, key)
	f.mu.Unlock()
	close(own.done)
	return own.err
}
