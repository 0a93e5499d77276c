package bus

import (
	"context"
	"fmt"
	"iter"

	"manualslop/events"
)

// Watch yields stored events and then new ones; see events.Log. The cutoff is
// the sequence of the newest event under f when the call was made, so the
// replay is over once an event at or past it was yielded, or at once if it is
// below from. A slow reader is never cut off: it asks the server for more when
// it is ready, and nothing is kept for it meanwhile. The feed holds a consumer of
// the server until it is ranged over and left; it may be ranged over once. A
// lost server is waited for; one that comes back with another history than the
// one that was read ends the feed with events.ErrReplaced.
func (c *Conn) Watch(ctx context.Context, f events.Filter, from uint64) (uint64, iter.Seq2[events.Event, error],
	error) {
	cutoff, err := c.Last(ctx, f)
	if err != nil {
		return 0, nil, fmt.Errorf("watch %s: %w", f.Subject(), err)
	}
	before, err := c.markAt(ctx, max(from, 1)-1)
	if err != nil {
		return 0, nil, fmt.Errorf("watch %s: %w", f.Subject(), err)
	}
	fd, err := c.openFeed(ctx, f, from)
	if err != nil {
		return 0, nil, fmt.Errorf("watch %s: %w", f.Subject(), err)
	}
	fd.before = before
	return cutoff, func(yield func(events.Event, error) bool) {
		defer fd.close()
		if err := c.follow(ctx, f, cutoff, fd, newWitness(f, max(from, 1), fd.total), yield); err != nil {
			yield(events.Event{}, fmt.Errorf("watch %s: %w", f.Subject(), err))
		}
	}, nil
}

func (c *Conn) follow(ctx context.Context, f events.Filter, cutoff uint64, fd *feed, w *witness,
	yield func(events.Event, error) bool) error {
	for {
		fd.due = w.left > 0
		d, err := fd.next(ctx)
		if ctx.Err() != nil {
			return nil
		}
		if err == nil {
			err = w.see(d)
		}
		if err == nil && d.seq == cutoff {
			err = c.nothingSkipped(ctx, f, d)
		}
		if err != nil {
			return err
		}
		if e, ok := c.newest(d); ok && !yield(e, nil) {
			return nil
		}
	}
}
