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

// Role is one decider that a process runs: a function that starts it, a connection with its
// rights, and the store of its snapshots.
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
	// Build identifies the program; snapshots of another build are not used.
	Build string
	// Stopped is called with the reason when a decider cannot continue with a session; it may be
	// nil. It is called once per decider and session, and must not block.
	Stopped func(session, decider string, reason error)
	// SnapshotEvery is the number of events of a session after which its states are
	// stored, default 500; they are also stored when a session becomes idle.
	SnapshotEvery int
	// Loaded is how many idle sessions stay in memory, default 16. RestAfter is the minimum time
	// that a session stays in memory, default one minute.
	Loaded    int
	RestAfter time.Duration

	mu       sync.Mutex
	sessions map[string]*crew // open sessions; nil for an idle one
	waking   map[string]*crew // restored, but not begun
	ending   map[string]*crew // newest unloaded crew
	ledger   ledger
	late     sync.Mutex // serialises work on closed sessions
	looking  bool       // a call of retire is scheduled
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

// Begin starts the deciders of a session. In a closed session they decide what is still pending
// and then end. Without a history the session is idle at the restored position.
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
		return // the crew has stopped listening but is still registered
	}
	c.history = history
	o.launch(ctx, c, func() { <-o.slots })
	o.retire()
}

// Take passes an event to the session's deciders, and waits for a slow one. SessionClosed is the
// last event they get, because they decide nothing after it; see Late.
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

// retire unloads the sessions that have been idle longest if too many are in memory. It runs again
// when more sessions may have been idle long enough.
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

// lookAgain schedules a call of retire; o.mu must be held.
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

// Wait waits until every decider has stopped. They stop when the context passed to Begin ends.
func (o *Orchestrator) Wait() { o.wg.Wait() }
