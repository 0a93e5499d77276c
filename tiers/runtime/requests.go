package runtime

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"manualslop/events"
	"manualslop/tiers"
)

// Requests tracks all requests of the project's sessions that have no outcome, and sets the timers
// of asks. Its state is stored, so that a start need not read open sessions from their first
// event.
type Requests struct {
	States States
	Timers *Timers

	mu       sync.Mutex
	sessions map[string]*tiers.OpenRequests // open sessions, and closed ones with open requests
	restored map[string]*tiers.OpenRequests // restored, but not begun
	newest   uint64                         // sequence up to which sessions were passed
	heard    Mark                           // newest event that the page may include
	kept     Mark                           // newest event when the page was last stored
	started  chan struct{}                  // closed when the open sessions are known
	closing  chan struct{}                  // holds a value while the latest closing is unprocessed
	page     closedPage
	before   closedPage      // the page that was stored at the start
	asked    map[string]bool // sessions with requests after that page
}

// closedPage records which closed sessions have no pending outcomes, so that a start can skip
// them. Losing a page only costs time.
type closedPage struct {
	Project string   `json:"project"`
	Closed  Mark     `json:"closed"` // all sessions closed up to here have nothing pending,
	Owing   []string `json:"owing"`  // except these,
	Heard   Mark     `json:"heard"`  // and those with requests after this event
}

// init creates the maps; q.mu must be held.
func (q *Requests) init() {
	if q.sessions == nil {
		q.sessions, q.restored = map[string]*tiers.OpenRequests{}, map[string]*tiers.OpenRequests{}
		q.started, q.closing = make(chan struct{}), make(chan struct{}, 1)
	}
}

// Restore restores the stored state of a session.
func (q *Requests) Restore(ctx context.Context, session string, last Mark) Mark {
	open := &tiers.OpenRequests{}
	at := q.States.restore(ctx, session, last, open)
	if at.Seq > 0 {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.init()
		q.restored[session] = open
	}
	return at
}

// Save returns a function that stores a session's open requests.
func (q *Requests) Save(session string, at Mark) func(context.Context) {
	q.mu.Lock()
	defer q.mu.Unlock()
	open := q.sessions[session]
	if open == nil {
		open = &tiers.OpenRequests{}
	}
	return q.States.save(session, at, open)
}

// Begin takes a session and sets the timers of its open asks.
func (q *Requests) Begin(ctx context.Context, session string, history []*events.Event) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.init()
	open := q.restored[session]
	delete(q.restored, session)
	if open == nil || len(history) > 0 && opens(history[0]) {
		open = &tiers.OpenRequests{}
	}
	q.sessions[session] = open
	for _, e := range history {
		q.fold(open, e)
	}
	for _, r := range open.List() {
		if ask, timed := strings.CutPrefix(r.Key, "ask "); timed {
			q.Timers.set(ctx, &events.Event{ID: r.ID, Time: r.At, Project: q.States.Project, Session: session}, ask, *r.Due)
		}
	}
	q.letGo(session)
}

// Take folds the next event of a session.
func (q *Requests) Take(ctx context.Context, e *events.Event) {
	q.Timers.Take(ctx, e)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.init()
	open := q.sessions[e.Session]
	if open == nil {
		open = &tiers.OpenRequests{Closed: true} // the state was dropped, and a request came after the end
		q.sessions[e.Session] = open
	}
	q.fold(open, e)
	q.newest, q.heard = max(q.newest, e.Seq), Mark{e.Seq, e.ID}
	q.letGo(e.Session)
}

// Late folds an event of a session that closed before this process started, as if its state had
// been dropped.
func (q *Requests) Late(ctx context.Context, e *events.Event) { q.Take(ctx, e) }

func (q *Requests) fold(open *tiers.OpenRequests, e *events.Event) {
	open.Fold(e)
	if closes(e) {
		if q.page.Closed.Seq < e.Seq {
			q.page.Closed = Mark{e.Seq, e.ID}
		}
		select {
		case q.closing <- struct{}{}:
		default:
		}
	}
}

// letGo drops a closed session without pending outcomes; q.mu must be held.
func (q *Requests) letGo(session string) {
	if open := q.sessions[session]; open.Closed && len(open.Open) == 0 {
		delete(q.sessions, session)
	}
}

// Started records that all open sessions were passed with their events up to a sequence.
func (q *Requests) Started(upTo uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.init()
	q.newest = max(q.newest, upTo)
	select {
	case <-q.started:
	default:
		close(q.started)
	}
}

// ready returns a channel that is closed once the open sessions are known.
func (q *Requests) ready() <-chan struct{} {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.init()
	return q.started
}

// owedBy returns the requests of a kind of pool that have no outcome, in stream
// order, with the newest RequestReturned of their sessions, and the sequence up
// to which that is known.
func (q *Requests) owedBy(kind string) (owed []tiers.OpenRequest, returned map[string]uint64, upTo uint64) {
	q.mu.Lock()
	defer q.mu.Unlock()
	returned = map[string]uint64{}
	for _, session := range slices.Sorted(maps.Keys(q.sessions)) {
		open := q.sessions[session]
		returned[session] = open.Returned
		for _, r := range open.List() {
			if r.Pool == kind && r.Seq > 0 {
				owed = append(owed, r)
			}
		}
	}
	slices.SortFunc(owed, func(a, b tiers.OpenRequest) int { return cmp.Compare(a.Seq, b.Seq) })
	return owed, returned, q.newest
}

// Settled returns the position up to which closed sessions have no pending outcomes according to
// the page, and the exceptions: those that the page names and those with later requests.
func (q *Requests) Settled(ctx context.Context) (upTo []Mark, but []string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.init()
	q.before = closedPage{}
	if q.States.Snapshots == nil || q.States.Snapshots.Snapshot(ctx, q.pageKey(), &q.before) != nil ||
		q.before.Project != q.States.Project {
		q.before = closedPage{}
	}
	var err error
	if q.asked, err = q.askedBehind(ctx, q.before.Heard, q.before.Closed.Seq > 0); err != nil {
		q.States.Logger.Info("checking every closed session", "error", err)
		q.before = closedPage{}
	}
	return []Mark{q.before.Closed}, slices.AppendSeq(slices.Clone(q.before.Owing), maps.Keys(q.asked))
}

// Owing returns the closed sessions that may have pending outcomes.
func (q *Requests) Owing(_ context.Context, closed []Closing) []Closing {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.init()
	page := q.before
	known := slices.ContainsFunc(closed, func(c Closing) bool { return c.At == page.Closed })
	var out []Closing
	for _, c := range closed {
		q.page.Closed, q.heard = c.At, c.At
		if !known || c.At.Seq > page.Closed.Seq || slices.Contains(page.Owing, c.Session) || q.asked[c.Session] {
			q.sessions[c.Session] = &tiers.OpenRequests{} // counts as pending until it has begun
			out = append(out, c)
		}
	}
	if known && page.Heard.Seq > q.heard.Seq {
		q.heard = page.Heard
	}
	q.asked = nil
	return out
}

// askedBehind returns the sessions with requests after an event.
func (q *Requests) askedBehind(ctx context.Context, mark Mark, known bool) (map[string]bool, error) {
	if !known {
		return nil, nil
	}
	asked, registry, found := map[string]bool{}, events.Catalogue(), false
	for e, err := range q.Timers.Log.Read(ctx, events.Filter{Project: q.States.Project}, mark.Seq, 0) {
		if err != nil {
			return nil, err
		}
		if !found && mark != (Mark{e.Seq, e.ID}) {
			break
		}
		found = true
		if registry.Decode(&e); tiers.Asked(&e) != nil {
			asked[e.Session] = true
		}
	}
	if !found {
		return nil, fmt.Errorf("%w: event %d is missing from the log", errSnapshot, mark.Seq)
	}
	return asked, nil
}

func (q *Requests) pageKey() string {
	return "states." + q.States.Project + ".-ledger." + q.States.Actor
}

// pageIsOld reports whether a start after a crash would have to read many events after the page.
func (q *Requests) pageIsOld() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.heard.Seq >= q.kept.Seq+snapshotEvery
}

// keepPage stores which closed sessions have pending outcomes.
func (q *Requests) keepPage(ctx context.Context) {
	if q.States.Snapshots == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveWait)
	defer cancel()
	q.mu.Lock()
	page := q.page
	page.Project, page.Owing, page.Heard = q.States.Project, slices.Sorted(maps.Keys(q.sessions)), q.heard
	q.kept = q.heard
	q.mu.Unlock()
	if err := q.States.Snapshots.PutSnapshot(ctx, q.pageKey(), page); err != nil {
		q.States.Logger.Info("cannot store which closed sessions have pending outcomes", "error", err)
	}
}
