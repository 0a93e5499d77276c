package live

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"manualslop/events"
	"manualslop/projections"
)

// replay reads stored events only for the summaries: sessions are folded when needed.
func (l *Live) replay(ctx context.Context) error {
	end, err := l.log.Last(ctx, l.filter)
	if err != nil {
		return err
	}
	from := l.restoreIndex(ctx, end)
	for e, err := range l.log.Read(ctx, l.filter, from, end) {
		if err != nil {
			return err
		}
		l.note(&e)
	}
	l.position = end
	l.newCurrent()
	return ctx.Err()
}

// retryPause is the pause between attempts to follow a log after its feed broke.
const retryPause = 100 * time.Millisecond

// follow takes events until the log or ctx ends. A broken feed is resumed from the last position,
// but only if the log is still the same.
func (l *Live) follow(ctx context.Context, feed iter.Seq2[events.Event, error]) {
	err := l.drain(feed)
	for ctx.Err() == nil && survivable(err) {
		if !errors.Is(err, events.ErrSlow) {
			l.opts.Logger.Warn("the feed of the read models broke; reconnecting", "position", l.Position(), "error", err)
			pause(ctx, retryPause)
		}
		if err = l.sameLog(ctx); err != nil {
			continue
		}
		if _, feed, err = l.log.Watch(ctx, l.filter, l.Position()+1); err == nil {
			err = l.drain(feed)
		}
	}
	if err == nil || ctx.Err() != nil {
		err = events.ErrClosed
	}
	l.err = err
	close(l.done)
}

// survivable reports whether the feed can be resumed after this error.
func survivable(err error) bool {
	for _, last := range []error{events.ErrHole, events.ErrDenied, events.ErrReplaced, events.ErrClosed} {
		if errors.Is(err, last) {
			return false
		}
	}
	return err != nil
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// sameLog checks that the log still holds the newest event taken.
func (l *Live) sameLog(ctx context.Context) error {
	l.mu.RLock()
	seq, id := l.noted, l.notedID
	l.mu.RUnlock()
	if seq == 0 {
		return nil
	}
	for e, err := range l.log.Read(ctx, l.filter, seq, seq) {
		if err != nil || e.Seq == seq && e.ID == id {
			return err
		}
	}
	return fmt.Errorf("%w: event %d has changed", events.ErrReplaced, seq)
}

func (l *Live) drain(feed iter.Seq2[events.Event, error]) error {
	for e, err := range feed {
		if err != nil {
			return err
		}
		l.take(&e)
	}
	return nil
}

// take passes one event to its session, then to all waiters.
func (l *Live) take(e *events.Event) {
	if e.Payload == nil { // a shared log has already decoded it
		l.opts.Registry.Decode(e)
	}
	l.mu.Lock()
	_, known := l.sessions[e.Session]
	s := l.note(e)
	if !known {
		s.set = projections.NewSetOf(l.opts.Models)
	}
	switch e.Payload.(type) {
	case events.SessionOpened, events.SessionClosed:
		l.newCurrent()
	}
	l.mu.Unlock()
	s.used.Store(l.clock.Add(1))

	worth, stopped := s.apply(e, l.opts.SnapshotEvery)
	if worth {
		l.wantSave(s)
	}
	for _, m := range stopped {
		l.opts.Logger.Error("a read model stopped; the others continue", "session", s.id, "error", m)
	}

	l.mu.Lock()
	l.position = e.Seq
	l.wake()
	// order-independent: each subscriber has its own queue
	for sub := range l.subs {
		if sub.session == "" || sub.session == e.Session {
			sub.push(e)
		}
	}
	l.mu.Unlock()
	if !known {
		l.evict()
	}
}

// note finds or adds the session of an event and updates its summary; l.mu must
// be held, unless l is not shared yet.
func (l *Live) note(e *events.Event) *session {
	s := l.sessions[e.Session]
	if s == nil {
		s = l.newSession(e.Session, e.Seq)
		l.sessions[e.Session] = s
		l.order = append(l.order, s)
	}
	s.note(l.opts.Registry, e)
	l.noted, l.notedID = e.Seq, e.ID
	if l.fresh.Add(1) >= int64(l.opts.IndexEvery) {
		l.wantIndex()
	}
	return s
}

// positionWaiter waits until the position has reached seq.
type positionWaiter struct {
	seq  uint64
	done chan struct{}
}

// wake releases the waiters whose position is reached; l.mu must be held.
func (l *Live) wake() {
	still := l.waiters[:0]
	for _, w := range l.waiters {
		if w.seq <= l.position {
			close(w.done)
		} else {
			still = append(still, w)
		}
	}
	clear(l.waiters[len(still):])
	l.waiters = still
}

// WaitFor waits until every view has taken the event at seq, so that its writer can see it. It
// never returns nil for an event of another project.
func (l *Live) WaitFor(ctx context.Context, seq uint64) error {
	l.mu.Lock()
	if l.position >= seq {
		l.mu.Unlock()
		return nil
	}
	w := positionWaiter{seq, make(chan struct{})}
	l.waiters = append(l.waiters, w)
	l.mu.Unlock()
	select {
	case <-w.done:
		return nil
	case <-ctx.Done():
		l.forget(w.done)
		return ctx.Err()
	case <-l.done:
		return l.err
	}
}

func (l *Live) forget(done chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, w := range l.waiters {
		if w.done == done {
			l.waiters = append(l.waiters[:i], l.waiters[i+1:]...)
			return
		}
	}
}
