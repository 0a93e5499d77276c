package runtime

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"manualslop/events"
)

// unsaved describes the events of a session since its states were stored.
type unsaved struct {
	events int
	at     Mark
}

// start starts the open sessions from their stored states; each is read with a filter of its own
// from where its subscribers stopped. It returns the closed sessions with possibly pending work.
// The amount it reads does not depend on the number of closed sessions.
func (r *Reader) start(ctx context.Context) ([]Closing, error) {
	r.known, r.closed, r.owing, r.fresh = map[string]uint64{}, map[string]bool{}, map[string]bool{}, map[string]*unsaved{}
	r.stores = make(chan func(context.Context), 64)
	end, err := r.Log.Last(ctx, events.Filter{Project: r.Project})
	if err != nil {
		return nil, fmt.Errorf("find the end of the stream: %w", err)
	}
	open, closed, err := r.sessions(ctx, end)
	if err != nil {
		return nil, fmt.Errorf("find open sessions: %w", err)
	}
	for _, session := range open {
		if err := r.begin(ctx, session, end); err != nil {
			return nil, fmt.Errorf("catch up: %w", err)
		}
	}
	r.next, r.open = end+1, open
	if r.unlisted >= snapshotEvery {
		last, err := r.lastOf(ctx, "", end)
		if err != nil {
			return nil, fmt.Errorf("find the end of the stream: %w", err)
		}
		if last.ID != "" {
			r.newest = last
			r.enqueue(r.saveList())
		}
	}
	return r.owed(ctx, closed), nil
}

// begin starts a session: it passes each subscriber the events after its position, up to the
// sequence end; 0 means the end of the log.
func (r *Reader) begin(ctx context.Context, session string, end uint64) error {
	last, err := r.lastOf(ctx, session, end)
	if err != nil {
		return err
	}
	marks := make([]Mark, len(r.subs))
	low := last
	for i := range r.subs {
		r.give(i, session, func(sub Subscriber) {
			if restorer, ok := sub.(Restorer); ok {
				marks[i] = restorer.Restore(ctx, session, last)
			}
		})
		if marks[i].Seq < low.Seq {
			low = marks[i]
		}
	}
	history, err := r.read(ctx, session, low, end, last)
	if err == nil && !holds(history, last, marks) {
		r.Logger.Info("snapshots discarded", "session", session, "error", "the log has no events at the "+
			"positions at which they "+
			"were taken")
		clear(marks)
		history, err = r.read(ctx, session, Mark{}, end, last)
	}
	r.known[session] = max(last.Seq, end)
	if err != nil || low.Seq == 0 && len(history) == 0 { // without events there is nothing to begin
		return err
	}
	for i := range r.subs {
		behind := history
		if marks[i].Seq > 0 && marks[i] != Nothing {
			at, found := slices.BinarySearchFunc(history, marks[i].Seq, func(e *events.Event, seq uint64) int {
				return cmp.Compare(e.Seq, seq)
			})
			if found {
				at++
			}
			behind = history[at:]
		}
		r.give(i, session, func(sub Subscriber) { sub.Begin(ctx, session, behind) })
	}
	if n := len(history); n > 0 {
		newest := history[n-1]
		r.known[session] = max(r.known[session], newest.Seq)
		if !slices.ContainsFunc(history, closes) {
			r.fresh[session] = &unsaved{n, Mark{newest.Seq, newest.ID}}
		}
	}
	return nil
}

// lastOf returns the newest event of a session, or of all, up to end. The id is missing if there
// are later events.
func (r *Reader) lastOf(ctx context.Context, session string, end uint64) (Mark, error) {
	f := events.Filter{Project: r.Project, Session: session}
	seq, err := r.Log.Last(ctx, f)
	if err != nil || end > 0 && seq > end {
		return Mark{Seq: end}, err
	}
	for e, err := range r.Log.Read(ctx, f, seq, seq) {
		return Mark{seq, e.ID}, err
	}
	return Mark{Seq: seq}, nil
}

// read returns the history of a session from the event at low on, inclusive. It returns nothing if
// low is its newest event.
func (r *Reader) read(ctx context.Context, session string, low Mark, end uint64, last Mark) ([]*events.Event, error) {
	if low == last && low.ID != "" {
		return nil, nil
	}
	var out []*events.Event
	for e, err := range r.Log.Read(ctx, events.Filter{Project: r.Project, Session: session}, max(low.Seq, 1), end) {
		if err != nil {
			return nil, err
		}
		r.Registry.Decode(&e)
		if low.Seq == 0 && len(out) == 0 && !opens(&e) {
			continue
		}
		out = append(out, &e)
	}
	return out, nil
}

// holds reports whether the events at all marks exist.
func holds(history []*events.Event, last Mark, marks []Mark) bool {
	for _, m := range marks {
		if m.Seq > 0 && m != Nothing && m != last && !slices.ContainsFunc(history, func(e *events.Event) bool {
			return Mark{e.Seq, e.ID} == m
		}) {
			return false
		}
	}
	return true
}

// owed returns the closed sessions in which a subscriber may have pending work.
func (r *Reader) owed(ctx context.Context, closed []Closing) []Closing {
	owes := map[string]bool{}
	for _, sub := range r.subs {
		if s, settles := sub.(Settler); settles {
			for _, c := range s.Owing(ctx, closed) {
				owes[c.Session] = true
				r.owing[c.Session] = true
			}
		}
	}
	return slices.DeleteFunc(closed, func(c Closing) bool { return !owes[c.Session] })
}

// settle starts the closed sessions with pending work one after the other, in parallel with the
// open ones.
func (r *Reader) settle(ctx context.Context, owed []Closing) {
	for _, c := range owed {
		for ctx.Err() == nil {
			err := r.settleOne(ctx, c.Session)
			if err == nil {
				break
			}
			r.Logger.Warn("cannot read a closed session; retrying", "session", c.Session, "error", err)
			_ = pause(ctx, retryPause) // ends with ctx
		}
	}
}

// settleOne starts a closed session with its whole history.
func (r *Reader) settleOne(ctx context.Context, session string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.begin(ctx, session, 0); err != nil {
		return err
	}
	delete(r.owing, session)
	r.forget(session)
	return nil
}

// came counts an event of a session, and queues its states for storing after many events; r.mu
// must be held.
func (r *Reader) came(ctx context.Context, e *events.Event) {
	r.known[e.Session] = e.Seq
	if closes(e) {
		delete(r.fresh, e.Session)
		r.forget(e.Session)
		return
	}
	u := r.fresh[e.Session]
	if u == nil {
		u = &unsaved{}
		r.fresh[e.Session] = u
	}
	u.events, u.at = u.events+1, Mark{e.Seq, e.ID}
	if u.events < snapshotEvery {
		return
	}
	r.enqueue(r.save(e.Session, u)...)
}

// enqueue drops stores if the queue is full, because they are retried later.
func (r *Reader) enqueue(stores ...func(context.Context)) {
	for _, store := range stores {
		select {
		case r.stores <- store:
		default:
		}
	}
}

// forget removes the subscribers' stored states of a closed session.
func (r *Reader) forget(session string) {
	for _, sub := range r.subs {
		if f, stores := sub.(Forgetter); stores {
			r.enqueue(f.Forget(session))
		}
	}
}

// save returns a function that stores all subscribers' states of a session;
// r.mu must be held.
func (r *Reader) save(session string, u *unsaved) []func(context.Context) {
	var out []func(context.Context)
	for i := range r.subs {
		r.give(i, session, func(sub Subscriber) {
			if s, ok := sub.(Restorer); ok {
				if store := s.Save(session, u.at); store != nil {
					out = append(out, store)
				}
			}
		})
	}
	u.events = 0
	return out
}

// store runs the queued stores in parallel with the reader.
func (r *Reader) store(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case store := <-r.stores:
			store(ctx)
		}
	}
}

// saveAll stores all unsaved states at the end.
func (r *Reader) saveAll(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveWait)
	defer cancel()
	r.mu.Lock()
	defer r.mu.Unlock()
	for len(r.stores) > 0 {
		(<-r.stores)(ctx)
	}
	if r.unlisted > 0 {
		r.saveList()(ctx)
	}
	// order-independent: each session is stored separately
	for session, u := range r.fresh {
		if u.events == 0 {
			continue
		}
		for _, store := range r.save(session, u) {
			store(ctx)
		}
	}
}
