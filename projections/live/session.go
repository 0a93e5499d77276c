package live

import (
	"context"
	"sync"
	"sync/atomic"

	"manualslop/events"
	"manualslop/projections"
)

// session is one session: it always has a summary, and read models while it is folded.
type session struct {
	id    string
	first uint64        // sequence of its first event
	used  atomic.Uint64 // Live.clock at the last use
	view  View

	// Guarded by Live.mu.
	light   projections.Summarizer
	lastSeq uint64

	mu      sync.RWMutex
	set     *projections.Set // nil if not folded
	loading chan struct{}    // closed when the current load has ended; nil if there is none
	pending []*events.Event  // events that arrived while loading
	waiters []*stateWaiter
	fresh   int // events folded since the newest snapshot
	kept    int // events folded before that snapshot

	renderings renderings // rendered views of set
}

// stateWaiter waits until a session has a certain state.
type stateWaiter struct {
	holds func(*projections.Set) bool
	done  chan struct{} // closed when the state is reached, or with err set if holds failed
	err   error
}

// came reports whether the waiter is done; the session's lock must be held.
func (w *stateWaiter) came(set *projections.Set) (ok bool) {
	w.err = set.Show(func(set *projections.Set) { ok = w.holds(set) })
	return ok || w.err != nil
}

func (l *Live) newSession(id string, first uint64) *session {
	s := &session{id: id, first: first}
	s.view = View{l, s}
	return s
}

// note updates the summary and decodes the event if needed; Live.mu must be held.
func (s *session) note(r *events.Registry, e *events.Event) {
	s.lastSeq = e.Seq
	if !projections.Summarizes(e.Type) {
		return
	}
	if e.Payload == nil {
		r.Decode(e)
	}
	s.light.Apply(e)
}

// summary returns the session's summary; Live.mu must be held.
func (s *session) summary() Summary {
	out := Summary{Summary: s.light.Summary(), LastSeq: s.lastSeq}
	out.Session = s.id
	return out
}

// apply folds one event and releases the waiters whose state is reached. It reports whether the
// state is worth storing, and returns the models that this event stopped.
func (s *session) apply(e *events.Event, saveEvery int) (worth bool, stopped []*projections.StoppedError) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.loading != nil {
		s.pending = append(s.pending, e)
		return false, nil
	}
	if s.set == nil {
		return closes(e), nil
	}
	worth = s.fold(e, saveEvery)
	for _, m := range s.set.Stopped() {
		if m.Seq == e.Seq {
			stopped = append(stopped, m)
		}
	}
	return worth, stopped
}

func closes(e *events.Event) bool {
	_, over := e.Payload.(events.SessionClosed)
	return over
}

// fold applies one event and reports whether the state is worth storing, which is each time the
// session's length has doubled, so that the total cost of storing is linear in the number of
// events. s.mu must be held.
func (s *session) fold(e *events.Event, saveEvery int) (worth bool) {
	s.set.Apply(e)
	s.fresh++
	still := s.waiters[:0]
	for _, w := range s.waiters {
		if w.came(s.set) {
			close(w.done)
		} else {
			still = append(still, w)
		}
	}
	clear(s.waiters[len(still):])
	s.waiters = still
	return closes(e) || s.fresh >= max(saveEvery, s.kept)
}

// load folds the session unless it is folded already. New events wait in pending; the read goes up
// to the end of the log, so that none is missed.
func (l *Live) load(ctx context.Context, s *session) error {
	for {
		s.mu.Lock()
		switch {
		case s.set != nil:
			s.mu.Unlock()
			return nil
		case s.loading == nil:
			s.loading = make(chan struct{})
			s.mu.Unlock()
			return l.loadNow(ctx, s)
		}
		loading := s.loading
		s.mu.Unlock()
		select {
		case <-loading:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// loadNow reads the session and then takes the pending events.
func (l *Live) loadNow(ctx context.Context, s *session) error {
	set, read, err := l.read(ctx, s)
	s.mu.Lock()
	defer s.mu.Unlock()
	pending := s.pending
	close(s.loading)
	s.loading, s.pending = nil, nil
	if err != nil {
		return err
	}
	s.set, s.fresh, s.kept = set, read, 0
	s.renderings.drop()
	worth := read >= l.opts.SnapshotEvery
	for _, e := range pending {
		worth = s.fold(e, l.opts.SnapshotEvery) || worth
	}
	if worth {
		l.wantSave(s)
	}
	return nil
}

// read folds the session's stored events into a new set, from a snapshot if there is a usable one.
// It returns how many events it read.
func (l *Live) read(ctx context.Context, s *session) (set *projections.Set, read int, err error) {
	f := l.filter
	f.Session = s.id
	set = l.restore(ctx, s, f)
	batches, failed := l.decoded(ctx, f, max(s.first, set.Seq()+1))
	for batch := range batches {
		for i := range batch {
			set.Apply(&batch[i])
		}
		read += len(batch)
	}
	if err := <-failed; err != nil {
		return nil, 0, err
	}
	return set, read, ctx.Err()
}

// decoded reads events on another goroutine. The caller must take all batches and then the error.
func (l *Live) decoded(ctx context.Context, f events.Filter, from uint64) (<-chan []events.Event, <-chan error) {
	const size, ahead = 64, 4
	batches, failed := make(chan []events.Event, ahead), make(chan error, 1)
	go func() {
		defer close(batches)
		var batch []events.Event
		for e, err := range l.log.Read(ctx, f, from, 0) {
			if err != nil {
				failed <- err
				return
			}
			l.opts.Registry.Decode(&e)
			if batch = append(batch, e); len(batch) == size {
				batches <- batch
				batch = make([]events.Event, 0, size)
			}
		}
		batches <- batch
		failed <- nil
	}()
	return batches, failed
}

// evict unfolds the least recently used sessions while too many are folded. Sessions with waiters
// and sessions that are being loaded stay.
func (l *Live) evict() {
	for _, s := range l.leastUsed() {
		s.mu.Lock()
		if s.set != nil && s.loading == nil && len(s.waiters) == 0 {
			s.set = nil
			s.renderings.drop()
		}
		s.mu.Unlock()
	}
}
