package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"manualslop/events"
)

// Subscriber takes part in the one reading of a process.
type Subscriber interface {
	// Begin hands over a session: its events up to now, the first of them
	// SessionOpened. Events stay shared; nobody may change them.
	Begin(ctx context.Context, session string, history []*events.Event)
	// Take hands over the session's next event. It may block for a moment;
	// the reading waits.
	Take(ctx context.Context, e *events.Event)
}

// Reader follows a project's open sessions and fans out to its subscribers,
// each of which sees every event of a session exactly once and in order. Of
// sessions that were over before, a [Late] hears what is said now.
type Reader struct {
	Log      events.Log
	Registry *events.Registry
	Project  string
	Logger   *slog.Logger
	subs     []Subscriber
	next     uint64 // sequence to go on from
	known    map[string]bool
	closed   map[string]bool            // sessions that were over before this process began
	history  map[string][]*events.Event // while catching up
	order    []string
	newest   mark // of what was read live
}

// mark is an event by its place and its id.
type mark struct {
	Seq uint64
	ID  string
}

// Subscribe adds a subscriber; only before Run.
func (r *Reader) Subscribe(s Subscriber) { r.subs = append(r.subs, s) }

// Run reads until ctx ends. A feed that breaks is taken up again where it
// broke; only damage to the stream ends Run with an error.
func (r *Reader) Run(ctx context.Context) error {
	err := r.run(ctx)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (r *Reader) run(ctx context.Context) error {
	r.known = map[string]bool{}
	if err := r.findOpen(ctx); err != nil {
		return err
	}
	if err := r.catchUp(ctx); err != nil {
		return err
	}
	for ctx.Err() == nil {
		if err := r.survivable(ctx, r.watch(ctx)); err != nil {
			return err
		}
	}
	return nil
}

// watch follows the log until the feed breaks.
func (r *Reader) watch(ctx context.Context) error {
	if err := r.sameLog(ctx); err != nil {
		return err
	}
	_, feed, err := r.Log.Watch(ctx, events.Filter{Project: r.Project}, r.next)
	if err != nil {
		return err
	}
	for e, err := range feed {
		if err != nil {
			return err
		}
		r.live(ctx, &e)
	}
	return nil
}

// survivable waits out an error that another attempt may cure.
func (r *Reader) survivable(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return nil
	}
	if errors.Is(err, events.ErrReplaced) || errors.Is(err, events.ErrHole) || errors.Is(err, events.ErrDenied) || errors.Is(err, events.ErrClosed) {
		return fmt.Errorf("read the stream: %w", err)
	}
	r.Logger.Warn("the event feed broke and is taken up again", "error", err, "from", r.next)
	return pause(ctx, retryPause)
}

// findOpen learns which sessions are open and where the oldest of them begins.
// The session closed last counts as open, so that what its deciders owed when
// it was closed is still paid after a crash.
func (r *Reader) findOpen(ctx context.Context) error {
	opened := map[string]uint64{}
	latest, latestSeq := "", uint64(0)
	r.closed = map[string]bool{}
	for _, typ := range []string{"SessionOpened", "SessionClosed"} {
		for e, err := range r.Log.Read(ctx, events.Filter{Project: r.Project, Type: typ}, 1, 0) {
			switch {
			case err != nil:
				return fmt.Errorf("find open sessions: %w", err)
			case typ == "SessionClosed":
				if !events.Closes(e) {
					continue
				}
				if seq := opened[e.Session]; seq > 0 {
					latest, latestSeq = e.Session, seq
				}
				r.closed[e.Session] = true
				delete(opened, e.Session)
			case opened[e.Session] == 0:
				opened[e.Session] = e.Seq
				r.next = max(r.next, e.Seq+1)
			}
		}
	}
	if latest != "" {
		opened[latest] = latestSeq
		delete(r.closed, latest)
	}
	for s, seq := range opened {
		r.known[s] = true
		r.next = min(r.next, seq)
	}
	r.next = max(r.next, 1)
	return nil
}

// catchUp gathers what is stored and begins each open session with it.
func (r *Reader) catchUp(ctx context.Context) error {
	last, err := r.Log.Last(ctx, events.Filter{Project: r.Project})
	if err != nil {
		return fmt.Errorf("find the end of the stream: %w", err)
	}
	r.history = map[string][]*events.Event{}
	if last >= r.next {
		for e, err := range r.Log.Read(ctx, events.Filter{Project: r.Project}, r.next, last) {
			if err != nil {
				return fmt.Errorf("catch up: %w", err)
			}
			r.gather(&e)
		}
		r.next = last + 1
	}
	for _, s := range r.order {
		for _, sub := range r.subs {
			sub.Begin(ctx, s, r.history[s])
		}
	}
	r.history, r.order = nil, nil
	return nil
}

func (r *Reader) gather(e *events.Event) {
	if r.closed[e.Session] || !r.known[e.Session] && e.Type != "SessionOpened" {
		return
	}
	r.known[e.Session] = true
	r.Registry.Decode(e)
	if r.history[e.Session] == nil {
		if !opens(e) {
			return
		}
		r.order = append(r.order, e.Session)
	}
	r.history[e.Session] = append(r.history[e.Session], e)
}

func opens(e *events.Event) bool {
	_, ok := e.Payload.(events.SessionOpened)
	return ok
}

// closes tells whether a session is over with an event.
func closes(e *events.Event) bool {
	_, ok := e.Payload.(events.SessionClosed)
	return ok
}

// sameLog makes sure that the log still holds the newest event that was read
// live; events.ErrReplaced.
func (r *Reader) sameLog(ctx context.Context) error {
	if r.newest.Seq == 0 {
		return nil
	}
	for e, err := range r.Log.Read(ctx, events.Filter{Project: r.Project}, r.newest.Seq, r.newest.Seq) {
		if err != nil || e.ID == r.newest.ID {
			return err
		}
	}
	return fmt.Errorf("%w: event %d is not what it was", events.ErrReplaced, r.newest.Seq)
}

func (r *Reader) live(ctx context.Context, e *events.Event) {
	r.next, r.newest = e.Seq+1, mark{e.Seq, e.ID}
	r.Registry.Decode(e)
	if !r.known[e.Session] {
		if opens(e) {
			r.known[e.Session] = true
			for _, sub := range r.subs {
				sub.Begin(ctx, e.Session, []*events.Event{e})
			}
		}
		r.late(ctx, e)
		return
	}
	for _, sub := range r.subs {
		sub.Take(ctx, e)
	}
}

// late hands an event of a session that was over before this process began to
// those who hear of such ones.
func (r *Reader) late(ctx context.Context, e *events.Event) {
	if !r.closed[e.Session] {
		return
	}
	for _, sub := range r.subs {
		if l, hears := sub.(Late); hears {
			l.Late(ctx, e)
		}
	}
}
