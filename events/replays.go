package events

import (
	"context"
	"iter"
)

// Bounds of what a replay takes from the log at a time.
const (
	replayEvents = 256
	replayBytes  = 256 << 10
)

// Replays reads stored events for readers whose pace nobody knows, such as
// clients of a network. Nothing of the log is held while a reader takes its
// time, so that however many stand still, the log serves everybody else. Make
// it with NewReplays.
type Replays struct {
	log   Log
	slots chan struct{}
}

// NewReplays reads log for so many readers at the same moment; others wait
// their turn, which is short.
func NewReplays(log Log, atOnce int) *Replays {
	return &Replays{log, make(chan struct{}, atOnce)}
}

// Read yields what the log's Read yields, a part at a time.
func (r *Replays) Read(ctx context.Context, f Filter, from, to uint64) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		if to == 0 {
			last, err := r.log.Last(ctx, f)
			if err != nil {
				yield(Event{}, err)
				return
			}
			to = last
		}
		for from = max(from, 1); from <= to; {
			part, more, err := r.part(ctx, f, from, to)
			for _, e := range part {
				if !yield(e, nil) {
					return
				}
				from = e.Seq + 1
			}
			if err != nil {
				yield(Event{}, err)
			}
			if err != nil || !more {
				return
			}
		}
	}
}

// part reads the next events, and tells whether there may be others behind them.
func (r *Replays) part(ctx context.Context, f Filter, from, to uint64) (part []Event, more bool, err error) {
	select {
	case r.slots <- struct{}{}:
		defer func() { <-r.slots }()
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
	size := 0
	for e, err := range r.log.Read(ctx, f, from, to) {
		if err != nil {
			return part, false, err
		}
		part = append(part, e)
		if size += len(e.Data); len(part) == replayEvents || size >= replayBytes {
			return part, true, nil
		}
	}
	return part, false, nil
}
