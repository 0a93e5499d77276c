package runtime

import (
	"context"
	"maps"
	"slices"

	"manualslop/events"
)

// ledger says what the deciders of this process are done with: where they rest
// in open sessions, and which closed ones they have settled. Each decider stores
// a page of it, so that a start need not look into sessions that owe nothing.
// A page that is lost costs time.
type ledger struct {
	pages  map[string]page   // by decider; nil: not read yet
	newest Mark              // newest SessionClosed heard of
	owing  map[string]uint64 // sequences at which sessions were closed that are not settled
	heard  uint64            // newest late word heard of; see Late
	late   map[string]int    // late words heard of that are not answered, by session
	since  map[string]uint64 // newest late words behind the pages, by session
}

// page is what one decider is done with.
type page struct {
	Project string          `json:"project"`
	Decider string          `json:"decider"`
	Rest    map[string]Mark `json:"rest"`            // newest events taken, by session
	Closed  Mark            `json:"closed"`          // sessions closed up to here are settled,
	Owing   []string        `json:"owing"`           // but these
	Heard   uint64          `json:"heard,omitempty"` // late words up to here are answered
}

// Closing is the end of a session.
type Closing struct {
	Session string
	At      Mark
}

func (o *Orchestrator) pageKey(decider string) string {
	return "states." + o.Project + ".-ledger." + decider
}

// openLedger reads the pages once; o.mu is held.
func (o *Orchestrator) openLedger(ctx context.Context) {
	o.prepare()
	if o.ledger.pages != nil {
		return
	}
	o.ledger = ledger{pages: map[string]page{}, owing: map[string]uint64{}, late: map[string]int{}}
	for _, r := range o.Roles {
		name := r.Start().Name()
		var p page
		if r.Snapshots == nil || r.Snapshots.Snapshot(ctx, o.pageKey(name), &p) != nil || p.Project != o.Project ||
			p.Decider != name {
			p = page{Project: o.Project, Decider: name}
		}
		if p.Rest == nil {
			p.Rest = map[string]Mark{}
		}
		o.ledger.pages[name] = p
	}
}

// Settled are the ends up to which the pages say that closed sessions are
// settled. Excepted are those that a page names, and those in which something
// was said since.
func (o *Orchestrator) Settled(ctx context.Context) (upTo []Mark, but []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.openLedger(ctx)
	o.lateWords(ctx)
	for _, p := range o.ledger.pages { // order-independent: all count
		upTo, but = append(upTo, p.Closed), append(but, p.Owing...)
	}
	return upTo, slices.AppendSeq(but, maps.Keys(o.ledger.since))
}

// Owing are those of the closed sessions, in the order of their closing, that a
// decider of this process may owe something.
func (o *Orchestrator) Owing(ctx context.Context, closed []Closing) []Closing {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.openLedger(ctx)
	ends := make(map[Mark]bool, len(closed))
	for _, c := range closed {
		ends[c.At] = true
	}
	var out []Closing
	for _, c := range closed {
		if o.ledger.owes(c, ends) || o.ledger.since[c.Session] > c.At.Seq {
			out = append(out, c)
			o.ledger.owing[c.Session] = c.At.Seq
		}
		o.ledger.newest = c.At
		for _, p := range o.ledger.pages {
			delete(p.Rest, c.Session)
		}
	}
	return out
}

// owes tells whether a page does not say that a session is settled. A page of
// another log says nothing; ends are where sessions of this one were closed.
func (l *ledger) owes(c Closing, ends map[Mark]bool) bool {
	for _, p := range l.pages { // order-independent: one is enough
		if !ends[p.Closed] || c.At.Seq > p.Closed.Seq || slices.Contains(p.Owing, c.Session) {
			return true
		}
	}
	return false
}

// lateWords finds what was said behind the pages that may have to be answered in
// a closed session; see Late. o.mu is held.
func (o *Orchestrator) lateWords(ctx context.Context) {
	o.ledger.since = map[string]uint64{}
	for _, r := range o.Roles {
		p := o.ledger.pages[events.ActorApproval]
		if r.Start().Name() != events.ActorApproval || p.Closed.Seq == 0 {
			continue // without a page every closed session is begun
		}
		for _, typ := range lateWords() {
			from := max(p.Closed.Seq, p.Heard) + 1
			for e, err := range r.Log.Read(ctx, events.Filter{Project: o.Project, Type: typ}, from, 0) {
				if err != nil {
					o.Logger.Warn("what was said in closed sessions is not answered before the next start", "error", err)
					return
				}
				o.ledger.heard = max(o.ledger.heard, e.Seq)
				o.ledger.since[e.Session] = max(o.ledger.since[e.Session], e.Seq)
			}
		}
	}
}

// hears notes a late word, which its session owes an answer until answered is
// called.
func (l *ledger) hears(e *events.Event) {
	if l.late == nil {
		l.late = map[string]int{}
	}
	l.heard = max(l.heard, e.Seq)
	l.late[e.Session]++
}

// answered notes that a late word has its answer.
func (l *ledger) answered(session string) {
	if l.late[session]--; l.late[session] == 0 {
		delete(l.late, session)
	}
}

// closes notes that a session is closed and not settled yet.
func (l *ledger) closes(session string, at Mark) {
	if l.owing == nil {
		l.owing = map[string]uint64{}
	}
	l.owing[session] = at.Seq
	if at.Seq > l.newest.Seq {
		l.newest = at
	}
	for _, p := range l.pages {
		delete(p.Rest, session)
	}
}

// rests tells whether every decider rests at an event of a session.
func (l *ledger) rests(session string, at Mark) bool {
	for _, p := range l.pages { // order-independent: all are asked
		if p.Rest[session] != at {
			return false
		}
	}
	return at.ID != ""
}

// rest notes where the deciders of a session came to; o.mu is held.
func (l *ledger) rest(c *crew) {
	for _, h := range c.handlers {
		p, known := l.pages[h.Machine.Name()]
		if at := h.position(); known && at.Seq > 0 {
			p.Rest[c.session] = at
		}
	}
}

// keepLedger stores the pages. One that cannot be stored costs time at the next
// start.
func (o *Orchestrator) keepLedger(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveWait)
	defer cancel()
	for _, r := range o.Roles {
		if r.Snapshots == nil {
			continue
		}
		o.mu.Lock()
		p, known := o.ledger.pages[r.Start().Name()]
		owing := slices.Collect(maps.Keys(o.ledger.owing))
		owing = slices.AppendSeq(owing, maps.Keys(o.ledger.late))
		slices.Sort(owing)
		p.Rest, p.Closed, p.Owing = maps.Clone(p.Rest), o.ledger.newest, slices.Compact(owing)
		p.Heard = max(p.Heard, o.ledger.heard)
		o.mu.Unlock()
		if !known {
			continue
		}
		if err := r.Snapshots.PutSnapshot(ctx, o.pageKey(p.Decider), p); err != nil {
			o.Logger.Info("where a decider rests is not stored", "decider", p.Decider, "error", err)
		}
	}
}
