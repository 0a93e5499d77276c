package live

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"manualslop/projections"
)

// View gives access to one session's read models.
type View struct {
	l *Live
	s *session
}

// Session returns the session's id.
func (v *View) Session() string { return v.s.id }

// Summary returns the session's summary without folding the session.
func (v *View) Summary() Summary {
	v.l.mu.RLock()
	defer v.l.mu.RUnlock()
	return v.s.summary()
}

// Read calls fn with the read models under a read lock, during which new events wait. fn must not
// keep the set. If the session is not folded, it is first read from the log, which may fail. Read
// returns a *projections.StoppedError if fn used a stopped model.
func (v *View) Read(ctx context.Context, fn func(*projections.Set)) error {
	for {
		if err := v.l.use(ctx, v.s); err != nil {
			return fmt.Errorf("read session %s: %w", v.s.id, err)
		}
		v.s.mu.RLock()
		if v.s.set != nil {
			defer v.s.mu.RUnlock()
			return v.s.set.Show(fn)
		}
		v.s.mu.RUnlock()
	}
}

// Stopped returns the session's stopped read models if it is folded; it does not read the log.
func (v *View) Stopped() []*projections.StoppedError {
	v.s.mu.RLock()
	defer v.s.mu.RUnlock()
	if v.s.set == nil {
		return nil
	}
	return v.s.set.Stopped()
}

// use loads the session if it is not in memory, and records that it was used now.
func (l *Live) use(ctx context.Context, s *session) error {
	s.used.Store(l.clock.Add(1))
	s.mu.RLock()
	folded := s.set != nil
	s.mu.RUnlock()
	if folded {
		return nil
	}
	if err := l.load(ctx, s); err != nil {
		return err
	}
	l.evict()
	return nil
}

// leastUsed returns the folded sessions that exceed the limit, least recently used first.
func (l *Live) leastUsed() []*session {
	l.mu.RLock()
	folded := slices.Clone(l.order)
	l.mu.RUnlock()
	used := map[*session]uint64{}
	folded = slices.DeleteFunc(folded, func(s *session) bool {
		s.mu.RLock()
		defer s.mu.RUnlock()
		used[s] = s.used.Load()
		return s.set == nil
	})
	if len(folded) <= l.opts.Folded {
		return nil
	}
	slices.SortFunc(folded, func(a, b *session) int { return cmp.Compare(used[a], used[b]) })
	return folded[:len(folded)-l.opts.Folded]
}

// Await waits until holds returns true for a session's state. It checks at once and then after
// each event of the session, on the reader's goroutine and under the session's lock, so holds must
// be quick and must not call back. Await returns ErrNoSession if the log has no such session, and
// a *projections.StoppedError if holds uses a stopped model.
func (l *Live) Await(ctx context.Context, id string, holds func(*projections.Set) bool) error {
	v, ok := l.Session(id)
	if !ok {
		return fmt.Errorf("await %s: %w", id, ErrNoSession)
	}
	w, err := l.enlist(ctx, v.s, holds)
	if err != nil || w == nil {
		return err
	}
	select {
	case <-w.done:
		return w.err
	case <-ctx.Done():
		v.s.dismiss(w)
		return ctx.Err()
	case <-l.done:
		return l.err
	}
}

// enlist adds a waiter; it returns nil if the state is already reached.
func (l *Live) enlist(ctx context.Context, s *session, holds func(*projections.Set) bool) (*stateWaiter, error) {
	for {
		if err := l.use(ctx, s); err != nil {
			return nil, fmt.Errorf("await %s: %w", s.id, err)
		}
		s.mu.Lock()
		if s.set == nil {
			s.mu.Unlock()
			continue
		}
		defer s.mu.Unlock()
		w := &stateWaiter{holds: holds, done: make(chan struct{})}
		if w.came(s.set) {
			return nil, w.err
		}
		s.waiters = append(s.waiters, w)
		return w, nil
	}
}

func (s *session) dismiss(w *stateWaiter) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.waiters, w); i >= 0 {
		s.waiters = slices.Delete(s.waiters, i, i+1)
	}
}
