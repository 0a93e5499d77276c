package runtime

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"manualslop/events"
)

// ledger records the progress of this process's deciders: their positions in open sessions, and
// the closed sessions that they have settled. Each decider stores a page of it, so that a start
// can skip settled sessions. Losing a page only costs time.
type ledger struct {
	pages  map[string]page   // by decider; nil: not read yet
	newest Mark              // newest known SessionClosed
	owing  map[string]uint64 // sequences at which the unsettled sessions were closed
	heard  uint64            // newest known late event; see Late
	late   map[string]int    // unanswered late events, by session
	since  map[string]uint64 // newest late events after the pages, by session
}

// page is the progress of one decider.
type page struct {
	Project string          `json:"project"`
	Decider string          `json:"decider"`
	Rest    map[string]Mark `json:"rest"`            // newest events taken, by session
	Closed  Mark            `json:"closed"`          // all sessions closed up to here are settled,
	Owing   []string        `json:"owing"`           // except these
	Heard   uint64          `json:"heard,omitempty"` // late events up to here are answered
}

// Closing is the end of a session.
type Closing struct {
	Session string
	At      Mark
}

func (o *Orchestrator) pageKey(decider string) string {
	return "states." + o.Project + ".-ledger." + decider
}

// openLedger reads the pages once; o.mu must be held.
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

// Settled returns the positions up to which closed sessions are settled according to the pages,
// and the exceptions: sessions that a page names and those with later events.
func (o *Orchestrator) Settled(ctx context.Context) (upTo []Mark, but []string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.openLedger(ctx)
	o.lateWords(ctx)
	for _, p := range o.ledger.pages { // order-independent: all are collected
		upTo, but = append(upTo, p.Closed), append(but, p.Owing...)
	}
	return upTo, slices.AppendSeq(but, maps.Keys(o.ledger.since))
}

// Owing returns the closed sessions, in the order of their closing, in which a
// decider of this process may have pending work.
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

// owes reports whether a page does not list a session as settled. A page of
// another log is ignored; ends are the closings of this log's sessions.
func (l *ledger) owes(c Closing, ends map[Mark]bool) bool {
	for _, p := range l.pages { // order-independent: one is enough
		if !ends[p.Closed] || c.At.Seq > p.Closed.Seq || slices.Contains(p.Owing, c.Session) {
			return true
		}
	}
	return false
}

// lateWords finds events after the pages that may need an answer in a closed
// session; see Late. o.mu must be held.
func (o *Orchestrator) lateWords(ctx context.Context) {
	o.ledger.since = map[string]uint64{}
	for _, r := range o.Roles {
		p := o.ledger.pages[events.ActorApproval]
		if r.Start().Name() != events.ActorApproval || p.Closed.Seq == 0 {
			continue // without a page every closed session is started
		}
		for _, typ := range lateWords() {
			from := max(p.Closed.Seq, p.Heard) + 1
			for e, err := range r.Log.Read(ctx, events.Filter{Project: o.Project, Type: typ}, from, 0) {
				if err != nil {
					o.Logger.Warn("requests in closed sessions are not answered until the next start", "error", err)
					return
				}
				o.ledger.heard = max(o.ledger.heard, e.Seq)
				o.ledger.since[e.Session] = max(o.ledger.since[e.Session], e.Seq)
			}
		}
	}
}

// hears records a late event, which is pending until answered is called.
func (l *ledger) hears(e *events.Event) {
	if l.late == nil {
		l.late = map[string]int{}
	}
	l.heard = max(l.heard, e.Seq)
	l.late[e.Session]++
}

// answered records that a late event is answered.
func (l *ledger) answered(session string) {
	if l.late[session]--; l.late[session] == 0 {
		delete(l.late, session)
	}
}

// closes records that a session is closed and not settled yet.
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

// rests reports whether every decider has handled a session up to an event.
func (l *ledger) rests(session string, at Mark) bool {
	for _, p := range l.pages { // order-independent: all are checked
		if p.Rest[session] != at {
			return false
		}
	}
	return at.ID != ""
}

// rest records the positions of a session's deciders; o.mu must be held.
func (l *ledger) rest(c *crew) {
	for _, h := range c.handlers {
		p, known := l.pages[h.Machine.Name()]
		if at := h.position(); known && at.Seq > 0 {
			p.Rest[c.session] = at
		}
	}
}

// keepLedger stores the pages. A failure only costs time at the next start.
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
			o.Logger.Info("cannot store the position of a decider", "decider", p.Decider, "error", err)
		}
	}
}

// openList is the list of open sessions at a position of the log. It is stored
// so that a start reads only the openings and closings after it. A lost,
// damaged or foreign list only costs time.
type openList struct {
	Build   string   `json:"build"`
	Project string   `json:"project"`
	At      Mark     `json:"at"`   // newest event that is included
	Open    []string `json:"open"` // in the order of opening
}

func (s States) openListKey() string { return "states." + s.Project + ".-open." + s.Actor }

// restoreList returns the stored list, or an empty one at the beginning of the
// log.
func (r *Reader) restoreList(ctx context.Context, end uint64) openList {
	var stored openList
	if r.States.Snapshots == nil || r.States.Snapshots.Snapshot(ctx, r.States.openListKey(), &stored) != nil {
		return openList{}
	}
	at := stored.At
	if stored.Build != r.States.Build || stored.Project != r.Project || at.Seq == 0 || at.Seq > end {
		return openList{}
	}
	for e, err := range r.Log.Read(ctx, events.Filter{Project: r.Project}, at.Seq, at.Seq) {
		if err == nil && e.ID == at.ID {
			return stored
		}
		break
	}
	return openList{}
}

// saveList returns a function that stores the current list of open sessions; r.mu must be held.
func (r *Reader) saveList() func(context.Context) {
	r.unlisted = 0
	if r.States.Snapshots == nil || r.newest.Seq == 0 {
		return func(context.Context) {}
	}
	now := openList{r.States.Build, r.Project, r.newest, slices.Clone(r.open)}
	return func(ctx context.Context) {
		if err := r.States.Snapshots.PutSnapshot(ctx, r.States.openListKey(), now); err != nil {
			notStored(ctx, r.Logger, err)
		}
	}
}

// list updates the list of open sessions, and stores it after many events; r.mu
// must be held.
func (r *Reader) list(e *events.Event) {
	switch {
	case opens(e) && !slices.Contains(r.open, e.Session):
		r.open = append(r.open, e.Session)
	case closes(e):
		r.open = slices.DeleteFunc(r.open, func(s string) bool { return s == e.Session })
	}
	if r.unlisted++; r.unlisted >= snapshotEvery {
		r.enqueue(r.saveList())
	}
}

// sessions returns the sessions that are open at the sequence end, in the order
// of their opening, and the closed ones with possibly pending work, in the
// order of their closing. It reads the events after the stored list and after
// the settled positions.
func (r *Reader) sessions(ctx context.Context, end uint64) (open []string, closed []Closing, err error) {
	if end == 0 {
		return nil, nil, nil
	}
	list := r.restoreList(ctx, end)
	r.unlisted = int(end - list.At.Seq)
	open = list.Open
	for e, err := range r.Log.Read(ctx, events.Filter{Project: r.Project, Type: events.NameOf[events.SessionOpened]()},
		list.At.Seq+1, end) {
		if err != nil {
			return nil, nil, err
		}
		if !slices.Contains(open, e.Session) {
			open = append(open, e.Session)
		}
	}
	marks, but := r.settled(ctx)
	from := list.At.Seq + 1
	for _, m := range marks {
		from = min(from, m.Seq)
	}
	if closed, err = r.closings(ctx, "", from, end); err == nil && from > 1 && !holdAll(closed, marks) {
		closed, err = r.closings(ctx, "", 1, end) // a mark belongs to another log
	}
	if err != nil {
		return nil, nil, err
	}
	open = slices.DeleteFunc(open, func(s string) bool { return r.closed[s] })
	slices.Sort(but)
	for _, session := range slices.Compact(but) {
		if r.closed[session] || slices.Contains(open, session) {
			continue
		}
		more, err := r.closings(ctx, session, 1, end)
		if err != nil {
			return nil, nil, err
		}
		closed = append(closed, more...)
	}
	slices.SortFunc(closed, func(a, b Closing) int { return cmp.Compare(a.At.Seq, b.At.Seq) })
	return open, closed, nil
}

// settled returns the positions up to which the Settlers have settled closed sessions, and the
// exceptions.
func (r *Reader) settled(ctx context.Context) (marks []Mark, but []string) {
	for _, sub := range r.subs {
		if s, settles := sub.(Settler); settles {
			upTo, owing := s.Settled(ctx)
			marks, but = append(marks, upTo...), append(but, owing...)
		}
	}
	return marks, but
}

// holdAll reports whether a session was closed at each of the marks.
func holdAll(closed []Closing, marks []Mark) bool {
	for _, m := range marks {
		if !slices.ContainsFunc(closed, func(c Closing) bool { return c.At == m }) {
			return false
		}
	}
	return true
}

// closings returns the closings of all sessions, or of one, in a range of sequences.
func (r *Reader) closings(ctx context.Context, session string, from, to uint64) (out []Closing, err error) {
	f := events.Filter{Project: r.Project, Session: session, Type: events.NameOf[events.SessionClosed]()}
	ended := map[string]bool{}
	for e, err := range r.Log.Read(ctx, f, max(from, 1), to) {
		if err != nil {
			return nil, err
		}
		if events.Closes(e) && !ended[e.Session] { // the first closing counts
			ended[e.Session], r.closed[e.Session] = true, true
			out = append(out, Closing{e.Session, Mark{e.Seq, e.ID}})
		}
	}
	return out, nil
}

// wasClosed reports whether a session that this process did not start is closed. It reads the log
// once per session.
func (r *Reader) wasClosed(ctx context.Context, session string) bool {
	closed, asked := r.closed[session]
	for !asked && ctx.Err() == nil {
		found, err := r.closings(ctx, session, 1, 0)
		if r.survivable(ctx, err) != nil {
			return false // the feed will end with the same error
		}
		if err == nil {
			closed, asked = len(found) > 0, true
			r.closed[session] = closed
		}
	}
	return closed
}
