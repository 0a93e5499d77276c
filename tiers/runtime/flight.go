package runtime

import (
	"context"
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
