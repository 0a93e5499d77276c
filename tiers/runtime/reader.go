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

// Subscriber takes part in the one reading of a process.
type Subscriber interface {
	// Begin hands over a session: its events up to now, the first of them
	// SessionOpened. Events stay shared; nobody may change them.
	Begin(ctx context.Context, session string, history []*events.Event)
	// Take hands over the session's next event. It may block for a moment;
	// the reading waits.
	Take(ctx context.Context, e *events.Event)
}

// Restorer is a subscriber that need not be given a session from its first
// event on.
type Restorer interface {
	Subscriber
	// Restore takes back what was stored of a session whose newest event is last,
	// and says up to which event. Begin then hands over what is behind it, which
	// may be nothing. The zero Mark asks for the whole session; a history that
	// begins with SessionOpened is one, and what was restored is void.
	Restore(ctx context.Context, session string, last Mark) Mark
	// Save is how to store what the subscriber knows of a session after the event
	// at; nil where there is nothing to store. The reading does not wait for it.
	Save(session string, at Mark) (store func(context.Context))
}

// Forgetter is a Restorer that stores something of its own.
type Forgetter interface {
	Restorer
	// Forget is how to remove what is stored of a session that is closed.
	Forget(session string) (remove func(context.Context))
}

// Starter is a subscriber that hears when every open session was handed over.
type Starter interface {
	Subscriber
	// Started comes once, behind the open sessions up to a sequence.
	Started(upTo uint64)
}

// Nothing is the Mark of a subscriber that needs nothing of a session's past.
var Nothing = Mark{Seq: math.MaxUint64}

// Settler is a subscriber that may owe something to sessions that are over.
type Settler interface {
	Subscriber
	// Settled are ends of sessions up to each of which nothing is owed to closed
	// ones, but to some. The zero Mark is before every end.
	Settled(ctx context.Context) (upTo []Mark, but []string)
	// Owing are those of the closed sessions, in the order of their closing, to
	// which it may owe something. They are begun like open ones. Closed ones that
	// are settled may be left out.
	Owing(ctx context.Context, closed []Closing) []Closing
}

// Reader follows a project's open sessions and fans out to its subscribers,
// each of which sees every event of a session exactly once and in order. Of
// sessions that were over before, a [Late] hears what is said now.
type Reader struct {
	Log      events.Log
	Registry *events.Registry
	Project  string
	Logger   *slog.Logger
	// Stopped hears of a subscriber that panicked and gets nothing more of a
	// session, and why; nil: nobody does. It must not block.
	Stopped func(session, subscriber string, reason error)
	// States is where the list of open sessions is stored. The zero value stores
	// none, and every start reads the openings and ends of all sessions.
	States States

	subs   []Subscriber
	next   uint64 // sequence to go on from
	newest Mark   // of what was read live

	mu      sync.Mutex // held while something is handed out
	stopped map[stoppedFold]bool
	known   map[string]uint64 // sessions that were begun, and the newest event that was handed out
	closed  map[string]bool   // whether a session was over before this process began, as far as it was asked
	owing   map[string]bool   // of them those that are begun soon
	fresh   map[string]*unsaved
	open    []string // open sessions, in the order of their beginning
	// unlisted is how many events came since the list of them was stored.
	unlisted int
	stores   chan func(context.Context) // what is to be stored
}

// stoppedFold is a subscriber that panicked in a session.
type stoppedFold struct {
	sub     int
	session string
}

// ErrPanicked says that a part of the program panicked on an event.
var ErrPanicked = errors.New("an error in the program")

// give hands something of a session to a subscriber. One that panics gets
// nothing more of that session; everything else goes on.
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
		r.Logger.Error("a part of the engine panicked and takes no more events of this session",
			"part", name, "session", session, "value", value, "stack", string(debug.Stack()))
		if r.Stopped != nil {
			r.Stopped(session, name, fmt.Errorf("%w stopped %s in this session", ErrPanicked, name))
		}
	}()
	hand(r.subs[i])
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

// survivable waits out an error that another attempt may cure.
func (r *Reader) survivable(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return nil
	}
	if errors.Is(err, events.ErrReplaced) || errors.Is(err, events.ErrHole) || errors.Is(err, events.ErrDenied) ||
		errors.Is(err, events.ErrClosed) {
		return fmt.Errorf("read the stream: %w", err)
	}
	r.Logger.Warn("the event feed broke and is taken up again", "error", err, "from", r.next)
	return pause(ctx, retryPause)
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
	r.next, r.newest = e.Seq+1, Mark{e.Seq, e.ID}
	if e.Payload == nil { // a log that is shared has decoded it
		r.Registry.Decode(e)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.list(e)
	handedOut, known := r.known[e.Session]
	switch {
	case r.owing[e.Session] || known && e.Seq <= handedOut: // it is read from the log with the session, or was
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

// late hands an event of a session that was over before this process began to
// those who hear of such ones.
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
