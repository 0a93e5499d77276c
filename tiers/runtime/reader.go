package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"runtime/debug"
	"strings"
	"sync"

	"manualslop/events"
)

// Subscriber receives the events that a process's single reader reads.
type Subscriber interface {
	// Begin passes a session's events so far, starting with SessionOpened.
	// Events are shared and must not be modified.
	Begin(ctx context.Context, session string, history []*events.Event)
	// Take passes the session's next event. It may block briefly; the reader waits.
	Take(ctx context.Context, e *events.Event)
}

// Restorer is a subscriber that does not need a session from its first event.
type Restorer interface {
	Subscriber
	// Restore restores the stored state of a session whose newest event is last, and returns its
	// position. Begin then passes the events after that position, if any. The zero Mark requests
	// the whole session; a history that starts with SessionOpened is complete and replaces the
	// restored state.
	Restore(ctx context.Context, session string, last Mark) Mark
	// Save returns a function that stores the subscriber's state of a session after the event at;
	// nil if there is nothing to store. The reader does not wait for it.
	Save(session string, at Mark) (store func(context.Context))
}

// Forgetter is a Restorer that stores state of its own.
type Forgetter interface {
	Restorer
	// Forget returns a function that removes the stored state of a closed session.
	Forget(session string) (remove func(context.Context))
}

// Starter is a subscriber that is notified when it has received every open session.
type Starter interface {
	Subscriber
	// Started is called once, after all open sessions were passed with their events up to a
	// sequence.
	Started(upTo uint64)
}

// Nothing is the Mark of a subscriber that does not need a session's past.
var Nothing = Mark{Seq: math.MaxUint64}

// Settler is a subscriber that may have pending work in closed sessions.
type Settler interface {
	Subscriber
	// Settled returns the closings up to which no closed session has pending work, and the
	// exceptions. The zero Mark is before every closing.
	Settled(ctx context.Context) (upTo []Mark, but []string)
	// Owing returns the closed sessions that may have pending work, in the order of their
	// closing. They are passed like open ones. Settled ones may be left out.
	Owing(ctx context.Context, closed []Closing) []Closing
}

// Reader follows a project's open sessions and fans out to its subscribers,
// each of which sees every event of a session exactly once and in order. A
// [Late] also receives new events of sessions that were closed before.
type Reader struct {
	Log      events.Log
	Registry *events.Registry
	Project  string
	Logger   *slog.Logger
	// Stopped is called with the reason when a subscriber panicked and gets no more events of a
	// session; it may be nil. It must not block.
	Stopped func(session, subscriber string, reason error)
	// States is where the list of open sessions is stored. The zero value stores
	// none, and every start reads the openings and closings of all sessions.
	States States

	subs   []Subscriber
	next   uint64 // sequence from which to continue
	newest Mark   // newest event that was read live

	mu      sync.Mutex // held while an event is delivered
	stopped map[stoppedFold]bool
	known   map[string]uint64 // started sessions, and their newest delivered event
	closed  map[string]bool   // whether a session was closed before this process started, if already checked
	owing   map[string]bool   // closed sessions that will be started soon
	fresh   map[string]*unsaved
	open    []string // in the order of opening
	// unlisted is the number of events since their list was stored.
	unlisted int
	stores   chan func(context.Context) // pending stores
}

// stoppedFold identifies a subscriber that panicked and the session.
type stoppedFold struct {
	sub     int
	session string
}

// ErrPanicked means that a part of the program panicked on an event.
var ErrPanicked = errors.New("an error in the program")

// give passes an event of a session to a subscriber. If the subscriber panics, it gets no more
// events of that session; everything else continues.
func (r *Reader) give(i int, session string, hand func(Subscriber)) {
	key := stoppedFold{i, session}
	if r.stopped[key] {
		return
	}
	defer func() {
		value := recover()
		if value == nil {
			return
		}
		if r.stopped == nil {
			r.stopped = map[stoppedFold]bool{}
		}
		r.stopped[key] = true
		name := strings.TrimPrefix(fmt.Sprintf("%T", r.subs[i]), "*")
		r.Logger.Error("a part of the engine panicked and processes no more events of this session",
			"part", name, "session", session, "value", value, "stack", string(debug.Stack()))
		if r.Stopped != nil {
			r.Stopped(session, name, fmt.Errorf("%w stopped %s in this session", ErrPanicked, name))
		}
	}()
	hand(r.subs[i])
}

// Subscribe adds a subscriber; it must be called before Run.
func (r *Reader) Subscribe(s Subscriber) { r.subs = append(r.subs, s) }

// Run reads until ctx ends. A broken feed is continued at its position; only
// damage to the stream ends Run with an error.
func (r *Reader) Run(ctx context.Context) error {
	err := r.run(ctx)
	if ctx.Err() != nil {
		return nil
	}
	return err
}

func (r *Reader) run(ctx context.Context) error {
	owed, err := r.start(ctx)
	if err != nil {
		return err
	}
	for _, sub := range r.subs {
		if s, hears := sub.(Starter); hears {
			s.Started(r.next - 1)
		}
	}
	defer r.saveAll(ctx)
	ctx, stop := context.WithCancel(ctx)
	var beside sync.WaitGroup
	defer beside.Wait()
	defer stop()
	beside.Go(func() { r.settle(ctx, owed) })
	beside.Go(func() { r.store(ctx) })
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

// survivable waits and returns nil if another attempt may succeed; otherwise it returns the error.
func (r *Reader) survivable(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return nil
	}
	if errors.Is(err, events.ErrReplaced) || errors.Is(err, events.ErrHole) || errors.Is(err, events.ErrDenied) ||
		errors.Is(err, events.ErrClosed) {
		return fmt.Errorf("read the stream: %w", err)
	}
	r.Logger.Warn("the event feed broke; reconnecting", "error", err, "from", r.next)
	return pause(ctx, retryPause)
}

func opens(e *events.Event) bool {
	_, ok := e.Payload.(events.SessionOpened)
	return ok
}

// closes reports whether an event closes its session.
func closes(e *events.Event) bool {
	_, ok := e.Payload.(events.SessionClosed)
	return ok
}

// sameLog returns events.ErrReplaced unless the log still holds the newest event that was read
// live.
func (r *Reader) sameLog(ctx context.Context) error {
	if r.newest.Seq == 0 {
		return nil
	}
	for e, err := range r.Log.Read(ctx, events.Filter{Project: r.Project}, r.newest.Seq, r.newest.Seq) {
		if err != nil || e.ID == r.newest.ID {
			return err
		}
	}
	return fmt.Errorf("%w: event %d has changed", events.ErrReplaced, r.newest.Seq)
}

func (r *Reader) live(ctx context.Context, e *events.Event) {
	r.next, r.newest = e.Seq+1, Mark{e.Seq, e.ID}
	if e.Payload == nil { // a shared log has already decoded it
		r.Registry.Decode(e)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list(e)
	handedOut, known := r.known[e.Session]
	switch {
	case r.owing[e.Session] || known && e.Seq <= handedOut: // it is or was passed together with the session's history
	case known:
		for i := range r.subs {
			r.give(i, e.Session, func(sub Subscriber) { sub.Take(ctx, e) })
		}
		r.came(ctx, e)
	case opens(e):
		for i := range r.subs {
			r.give(i, e.Session, func(sub Subscriber) { sub.Begin(ctx, e.Session, []*events.Event{e}) })
		}
		r.came(ctx, e)
	default:
		r.late(ctx, e)
	}
}

// late passes an event of a session that was closed before this process started
// to the Late subscribers.
func (r *Reader) late(ctx context.Context, e *events.Event) {
	if !r.wasClosed(ctx, e.Session) {
		return
	}
	for i := range r.subs {
		r.give(i, e.Session, func(sub Subscriber) {
			if l, hears := sub.(Late); hears {
				l.Late(ctx, e)
			}
		})
	}
}
