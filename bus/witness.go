package bus

import (
	"context"
	"fmt"
	"time"

	"manualslop/events"
)

// witness notices stored events that are not delivered. The server skips what
// it cannot read without a word.
type witness struct {
	whole bool   // every sequence must come
	from  uint64 // where reading began
	seq   uint64 // the last one that came
	left  uint64 // events that were stored when reading began and have not come
}

func newWitness(f events.Filter, from, total uint64) *witness {
	return &witness{whole: f == events.Filter{}, from: from, left: total}
}

// see books a delivery. ErrHole when an event before it, or all that were
// counted behind it, are missing.
func (w *witness) see(d delivery) error {
	if w.left > 0 {
		w.left--
	}
	prev := w.seq
	if prev == 0 {
		prev = w.from - 1
	}
	w.seq = d.seq
	if w.whole && d.seq != prev+1 {
		return fmt.Errorf("%w: %d follows on %d", events.ErrHole, d.seq, prev)
	}
	if d.pending < w.left {
		return fmt.Errorf("%w: %d of them, at or before %d", events.ErrHole, w.left-d.pending, d.seq)
	}
	return nil
}

// nothingSkipped looks for holes up to d, the last stored event under f: what
// the server could not read it still counts as to come, and behind d there is
// less than that. ErrHole. On a cluster another replica counts, which may have
// to catch up first.
func (c *Conn) nothingSkipped(ctx context.Context, f events.Filter, d delivery) error {
	if d.pending == 0 {
		return nil
	}
	for until := time.Now().Add(holePatience); ; pause(ctx, lagPause) {
		behind, err := c.openFeed(ctx, f, d.seq+1)
		if err != nil {
			return err
		}
		behind.close()
		if behind.total >= d.pending || ctx.Err() != nil {
			return ctx.Err()
		}
		if !c.replicated.Load() || time.Now().After(until) {
			return fmt.Errorf("%w: %d of them, before %d", events.ErrHole, d.pending-behind.total, d.seq)
		}
	}
}
