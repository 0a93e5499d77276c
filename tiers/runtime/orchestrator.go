package runtime

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"time"

	"manualslop/events"
	"manualslop/tiers"
)

// Role is one decider that a process runs: how to start it, a connection with
// its rights, and where its snapshots are.
type Role struct {
	Start     func() *tiers.Machine
	Log       events.Log
	Snapshots Snapshots // nil: sessions are always folded from their first event
}

// Orchestrator runs deciders on every open session of a project. Any number of
// processes may run the same deciders: each fact is appended once, and the
// others adopt it. A session is kept in memory while it is active.
type Orchestrator struct {
	Project string
	Roles   []Role
	Logger  *slog.Logger
	// Build names the program; snapshots of another one are not used.
	Build string
	// Stopped is called when a decider cannot continue with a session, with the
	// reason; it may be nil. It is called once for each and must not block.
	Stopped func(session, decider string, reason error)
	// SnapshotEvery is the number of events of a session after which its states are
	// stored, default 500; they are also stored when a session becomes idle.
	SnapshotEvery int
	// Loaded is how many idle sessions stay in memory, default 16, and RestAfter
	// the minimum time, default a minute.
	Loaded    int
	RestAfter time.Duration

	mu       sync.Mutex
	sessions map[string]*crew // those that are not over; nil for an idle one
	waking   map[string]*crew // restored and not begun
	ending   map[string]*crew // newest one that was unloaded
	ledger   ledger
	late     sync.Mutex // closed sessions, one after the other
	looking  bool       // retire is called again without an event
	slots    chan struct{}
	wg       sync.WaitGroup
}

// folding limits the sessions whose history is in memory at the same time.
const folding = 8

func (o *Orchestrator) snapshotEvery() int {
	if o.SnapshotEvery > 0 {
		return o.SnapshotEvery
	}
	return snapshotEvery
}

// prepare creates the maps; o.mu must be held.
func (o *Orchestrator) prepare() {
	if o.sessions == nil {
		o.sessions, o.waking, o.ending = map[string]*crew{}, map[string]*crew{}, map[string]*crew{}
		o.slots = make(chan struct{}, folding)
	}
}

// Begin starts the deciders of a session. For a closed session they decide what
// is still pending and end. Without a history the session is idle at the
// restored position.
func (o *Orchestrator) Begin(ctx context.Context, session string, history []*events.Event) {
	o.mu.Lock()
	o.prepare()
	c := o.waking[session]
	delete(o.waking, session)
	if c == nil && len(history) == 0 {
		o.sessions[session] = nil
		o.mu.Unlock()
		return
	}
	if c == nil || len(history) > 0 && opens(history[0]) {
		c = o.crew(session)
	}
	if len(history) == 1 { // it is new, and not one of many at a start
		c.used = time.Now()
	}
	over := slices.IndexFunc(history, closes)
	if over < 0 {
		o.sessions[session] = c
	} else {
		o.ledger.closes(session, Mark{history[over].Seq, history[over].ID})
		c.over = true
		c.dismiss()
	}
	o.mu.Unlock()
	select {
	case o.slots <- struct{}{}:
	case <-ctx.Done():
		return // the crew no longer listens but is still registered for its session
	}
	c.history = history
	o.launch(ctx, c, func() { <-o.slots })
	o.retire()
}

// Take passes an event to the session's deciders, waiting for a slow one. After
// SessionClosed they decide nothing, so it is the last they get; see Late.
func (o *Orchestrator) Take(ctx context.Context, e *events.Event) {
	o.mu.Lock()
	o.prepare()
	c, open := o.sessions[e.Session]
	if open && c == nil {
		c = o.wake(ctx, e.Session)
	}
	if c != nil {
		c.used = time.Now()
		c.taking++
	}
	if open && closes(e) {
		delete(o.sessions, e.Session)
		o.ledger.closes(e.Session, Mark{e.Seq, e.ID})
		c.over = true
		defer c.dismiss()
	}
	o.mu.Unlock()
	if !open {
		o.Late(ctx, e)
		return
	}
	for _, h := range c.handlers {
		select {
		case h.in <- e:
		case <-ctx.Done():
			return
		}
	}
	o.mu.Lock()
	c.taking--
	o.mu.Unlock()
	o.retire()
}

// wake loads an idle session from its snapshots; o.mu must be held.
func (o *Orchestrator) wake(ctx context.Context, session string) *crew {
	c := o.crew(session)
	c.before = o.ending[session]
	o.sessions[session] = c
	c.unread = true
	o.launch(ctx, c, func() {})
	return c
}

// retire unloads the sessions that have been idle longest while too many are in
// memory. It checks again when the remaining ones may be old enough.
func (o *Orchestrator) retire() {
	enough, after := o.Loaded, o.RestAfter
	if enough <= 0 {
		enough = 16
	}
	if after <= 0 {
		after = time.Minute
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	var loaded []*crew
	// order-independent: sorted below
	for _, c := range o.sessions {
		if c != nil {
			loaded = append(loaded, c)
		}
	}
	if len(loaded) <= enough {
		return
	}
	slices.SortFunc(loaded, func(a, b *crew) int { return a.used.Compare(b.used) })
	for _, c := range loaded[:len(loaded)-enough] {
		switch {
		case c.stalled():
		case c.taking > 0 || time.Since(c.used) < after:
			o.lookAgain(after)
		default:
			o.sessions[c.session], o.ending[c.session] = nil, c
			c.dismiss()
		}
	}
}

// lookAgain calls retire once after a delay; o.mu must be held.
func (o *Orchestrator) lookAgain(after time.Duration) {
	if o.looking {
		return
	}
	o.looking = true
	time.AfterFunc(max(after, retryPause), func() {
		o.mu.Lock()
		o.looking = false
		o.mu.Unlock()
		o.retire()
	})
}

// Run reads until ctx ends or the log can no longer be read, which is an error.
// Then the deciders stop and their positions are stored.
func (o *Orchestrator) Run(ctx context.Context, reader *Reader) error {
	defer func() {
		o.Wait()
		o.keepLedger(ctx)
	}()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	return reader.Run(ctx)
}

// Wait returns when every decider has stopped; the context of Begin stops them.
func (o *Orchestrator) Wait() { o.wg.Wait() }
