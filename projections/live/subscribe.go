package live

import (
	"context"
	"fmt"
	"iter"
	"sync"

	"manualslop/events"
)

// subscriber is the queue of one reader of live events.
type subscriber struct {
	session string
	limit   int

	mu    sync.Mutex
	queue []*events.Event
	slow  bool
	more  chan struct{} // holds a token when the queue has changed
}

// push queues an event. If the queue is full, all of it is dropped and the subscriber is marked as slow.
func (s *subscriber) push(e *events.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.slow {
		return
	}
	if len(s.queue) >= s.limit {
		s.slow, s.queue = true, nil
	} else {
		s.queue = append(s.queue, e)
	}
	select {
	case s.more <- struct{}{}:
	default:
	}
}

// pull takes the queued events. It returns ErrSlow if the subscriber is marked as slow.
func (s *subscriber) pull() ([]*events.Event, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.slow {
		return nil, events.ErrSlow
	}
	q := s.queue
	s.queue = nil
	return q, nil
}

// Subscribe yields the decoded events of a session, or of all sessions if session is empty, from a
// sequence on: those stored when the iteration begins, then each new one as it is stored. When ctx
// ends, it stops without an error. An error is the last item: events.ErrSlow if the reader is more
// than Options.Backlog events behind, events.ErrClosed after Close, or the log's error.
func (l *Live) Subscribe(ctx context.Context, session string, from uint64) iter.Seq2[events.Event, error] {
	return func(yield func(events.Event, error) bool) {
		sub, cutoff := l.register(session)
		defer l.unregister(sub)
		next, goes, err := l.catchUp(ctx, session, max(from, 1), cutoff, yield)
		if err == nil && goes {
			err = l.deliver(ctx, sub, next, yield)
		}
		if err != nil && ctx.Err() == nil {
			yield(events.Event{}, fmt.Errorf("subscribe to %s: %w", l.filterOf(session).Subject(), err))
		}
	}
}

func (l *Live) filterOf(session string) events.Filter {
	f := l.filter
	if session != "" {
		f.Session = session
	}
	return f
}

// catchUp yields stored events up to the cutoff. It returns where to continue, and whether to
// continue.
func (l *Live) catchUp(ctx context.Context, session string, from, cutoff uint64, yield func(events.Event, error) bool) (
	uint64, bool, error) {
	if from > cutoff {
		return from, true, nil
	}
	for e, err := range l.replays.Read(ctx, l.filterOf(session), from, cutoff) {
		if err != nil {
			return from, false, err
		}
		l.opts.Registry.Decode(&e)
		if !yield(e, nil) {
			return from, false, nil
		}
	}
	return cutoff + 1, true, nil
}

// deliver yields queued events from a sequence on.
func (l *Live) deliver(ctx context.Context, sub *subscriber, from uint64, yield func(events.Event, error) bool) error {
	for {
		batch, err := sub.pull()
		if err != nil {
			return err
		}
		for _, e := range batch {
			if ctx.Err() != nil {
				return nil
			}
			if e.Seq >= from && !yield(*e, nil) {
				return nil
			}
		}
		if len(batch) > 0 {
			continue
		}
		select {
		case <-sub.more:
		case <-ctx.Done():
			return nil
		case <-l.done:
			return l.err
		}
	}
}

// register starts to queue the events after the cutoff.
func (l *Live) register(session string) (*subscriber, uint64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	sub := &subscriber{session: session, limit: l.opts.Backlog, more: make(chan struct{}, 1)}
	l.subs[sub] = struct{}{}
	return sub, l.position
}

func (l *Live) unregister(sub *subscriber) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.subs, sub)
}
