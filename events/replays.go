package events

import (
	"context"
	"iter"
)

// Limits of one read from the log during a replay.
const (
	replayEvents = 256
	replayBytes  = 256 << 10
)

// Replays reads stored events for readers of unknown speed, such as network clients. It holds no
// resources of the log while a reader is busy, so that stalled readers do not affect others.
// Create one with NewReplays.
type Replays struct {
	log   Log
	slots chan struct{}
}

// NewReplays returns a Replays in which atOnce readers can read from the log at the same time;
// others wait briefly.
func NewReplays(log Log, atOnce int) *Replays {
	return &Replays{log, make(chan struct{}, atOnce)}
}

// Read yields the same events as the log's Read, but reads them in parts.
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

// part reads the next events, and reports whether there may be more after them.
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
