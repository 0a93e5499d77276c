package live

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"manualslop/events"
	"manualslop/projections"
)

// maxReplays limits how many subscribers read stored events at the same time.
const maxReplays = 32

// ErrNoSession means that the log has no session with that id.
var ErrNoSession = errors.New("no such session")

// Options configure how sessions are kept. The zero value is usable.
type Options struct {
	// Session limits everything to one session; empty means all sessions of the project.
	Session string
	// Registry decodes payloads; nil means events.Catalogue().
	Registry *events.Registry
	// Backlog is how many events a subscriber may be behind before it is disconnected; default
	// 4096.
	Backlog int
	// Folded limits how many sessions are kept folded, not counting those with waiters; default
	// 16.
	Folded int
	// Snapshots stores states between runs; nil means that sessions are always
	// folded from the beginning.
	Snapshots Snapshots
	// SnapshotEvery is the number of events after which a session's state is first stored, default
	// 5000, and again each time that number has doubled. The state is also stored when the session
	// closes, and after a read of that many events.
	SnapshotEvery int
	// IndexEvery is the number of events of all sessions after which the summaries are stored,
	// default 1000. A start after a crash reads at most that many.
	IndexEvery int
	// SaveWait is how long Close waits for pending snapshots, default 5 s, so that an unavailable
	// store does not block the shutdown.
	SaveWait time.Duration
	// Models are the read models to keep; nil means projections.Catalogue().
	Models []func() projections.Model
	// Logger receives failed snapshots and stopped models; nil means no logging.
	Logger *slog.Logger
}

func (o Options) withDefaults() Options {
	if o.Registry == nil {
		o.Registry = events.Catalogue()
	}
	if o.Backlog <= 0 {
		o.Backlog = 4096
	}
	if o.Models == nil {
		o.Models = projections.Catalogue()
	}
	if o.Folded <= 0 {
		o.Folded = 16
	}
	if o.SnapshotEvery <= 0 {
		o.SnapshotEvery = 5000
	}
	if o.IndexEvery <= 0 {
		o.IndexEvery = 1000
	}
	if o.SaveWait <= 0 {
		o.SaveWait = 5 * time.Second
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

// Live keeps the sessions of one project current. It is safe for concurrent
// use.
type Live struct {
	log     events.Log
	replays *events.Replays // for subscribers
	project string
	opts    Options
	filter  events.Filter

	cancel context.CancelFunc
	giveUp context.CancelFunc // cancels storing
	done   chan struct{}      // closed when the reader has ended; err is set then
	err    error
	saves  chan *session
	index  chan struct{} // holds a token when the summaries must be stored
	saving sync.WaitGroup
	clock  atomic.Uint64 // counts the uses of sessions
	fresh  atomic.Int64  // events noted since the summaries were stored

	listing sync.Mutex // held while the list is rendered
	listed  *rendered  // see Listed

	mu       sync.RWMutex
	position uint64 // newest event that all views have taken
	noted    uint64 // newest event in the summaries, and its id
	notedID  string
	sessions map[string]*session
	order    []*session // by first event
	current  string     // see Current
	waiters  []positionWaiter
	subs     map[*subscriber]struct{}
}

// Open reads the log of a project up to its current end and follows it until
// ctx ends or Close is called. It returns the log's errors.
func Open(ctx context.Context, log events.Log, project string, opts Options) (*Live, error) {
	l := &Live{
		log: log, replays: events.NewReplays(log, maxReplays), project: project, opts: opts.withDefaults(),
		filter: events.Filter{Project: project, Session: opts.Session},
		done:   make(chan struct{}), saves: make(chan *session, 16), index: make(chan struct{}, 1),
		sessions: map[string]*session{}, subs: map[*subscriber]struct{}{},
	}
	if err := l.replay(ctx); err != nil {
		return nil, fmt.Errorf("open read models of %s: %w", project, err)
	}
	ctx, l.cancel = context.WithCancel(ctx)
	_, feed, err := log.Watch(ctx, l.filter, l.position+1)
	if err != nil {
		l.cancel()
		return nil, fmt.Errorf("open read models of %s: %w", project, err)
	}
	var storing context.Context
	storing, l.giveUp = context.WithCancel(context.WithoutCancel(ctx))
	l.saving.Go(func() { l.save(storing) })
	go l.follow(ctx, feed)
	return l, nil
}

// Close stops the reader and all waiters, and stores what is worth storing. If the reader had
// already ended, Close returns the reason.
func (l *Live) Close() error {
	l.cancel()
	<-l.done
	late := time.AfterFunc(l.opts.SaveWait, l.giveUp)
	l.saving.Wait()
	late.Stop()
	l.giveUp()
	if errors.Is(l.err, events.ErrClosed) {
		return nil
	}
	return l.err
}

// Done returns a channel that is closed when the read models are no longer kept current.
func (l *Live) Done() <-chan struct{} { return l.done }

// Err returns why Done was closed: events.ErrClosed after Close or the end of
// its context, else the log's error. It returns nil before that.
func (l *Live) Err() error {
	select {
	case <-l.done:
		return l.err
	default:
		return nil
	}
}

// Position returns the sequence of the newest event that every view has taken.
func (l *Live) Position() uint64 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.position
}

// Summary is the summary of a session, available without folding it.
type Summary struct {
	projections.Summary
	LastSeq uint64 `json:"last_seq"` // of its newest event
}

// Sessions returns the sessions in the order in which they started.
func (l *Live) Sessions() []Summary {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.summaries()
}

// summaries returns the summary of each session; l.mu must be held.
func (l *Live) summaries() []Summary {
	out := make([]Summary, len(l.order))
	for i, s := range l.order {
		out[i] = s.summary()
	}
	return out
}

// Listed returns the list of sessions, and which one is current, as rendered by render. All
// readers share the bytes, which are rendered on demand, once per change. A program must always
// pass the same render function. Its errors are returned and not cached.
func (l *Live) Listed(render func(current string, all []Summary) ([]byte, error)) ([]byte, error) {
	l.listing.Lock()
	defer l.listing.Unlock()
	l.mu.RLock()
	revision, current := l.noted, l.current
	if l.listed.fits(revision, "") {
		l.mu.RUnlock()
		return l.listed.body, nil
	}
	all := l.summaries()
	l.mu.RUnlock()
	body, err := render(current, all)
	if err == nil {
		l.listed = &rendered{revision: revision, body: body}
	}
	return body, err
}

// Current returns the most recently opened session that is still open, or else the most recently
// opened one; empty if there is none.
func (l *Live) Current() string {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.current
}

// newCurrent determines the current session; l.mu must be held, unless l is not shared yet.
func (l *Live) newCurrent() {
	l.current = ""
	for i := len(l.order) - 1; i >= 0; i-- {
		switch s := l.order[i].summary(); {
		case s.Opened.IsZero():
		case s.Closed == nil:
			l.current = s.Session
			return
		case l.current == "":
			l.current = s.Session
		}
	}
}

// Session returns a view of a session; false if the log has none with that id.
func (l *Live) Session(id string) (*View, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	s := l.sessions[id]
	if s == nil {
		return nil, false
	}
	return &s.view, true
}
