package runtime

import (
	"cmp"
	"context"
	"slices"

	"manualslop/events"
)

// openList is the list of open sessions at a position of the log. It is stored,
// so that a start reads only the openings and ends behind it. A list that is
// lost, damaged or of another program costs time.
type openList struct {
	Build   string   `json:"build"`
	Project string   `json:"project"`
	At      Mark     `json:"at"`   // newest event that is counted
	Open    []string `json:"open"` // in the order of their beginning
}

func (s States) openListKey() string { return "states." + s.Project + ".-open." + s.Actor }

// restoreList is the stored list, or an empty one at the beginning of the log.
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

// saveList is how to store the list of open sessions as it is now; r.mu is held.
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

// list keeps the list of open sessions, and has it stored when much came; r.mu
// is held.
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

// sessions are the sessions that are open at the sequence end, in the order of
// their beginning, and the closed ones to which something may be owed, in the
// order of their end. It reads what is behind the stored list, and behind what
// the Settlers have settled.
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
		closed, err = r.closings(ctx, "", 1, end) // a mark is of another log
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

// settled are the positions up to which the Settlers have settled closed
// sessions, and the sessions that are excepted.
func (r *Reader) settled(ctx context.Context) (marks []Mark, but []string) {
	for _, sub := range r.subs {
		if s, settles := sub.(Settler); settles {
			upTo, owing := s.Settled(ctx)
			marks, but = append(marks, upTo...), append(but, owing...)
		}
	}
	return marks, but
}

// holdAll tells whether sessions were closed at all the marks.
func holdAll(closed []Closing, marks []Mark) bool {
	for _, m := range marks {
		if !slices.ContainsFunc(closed, func(c Closing) bool { return c.At == m }) {
			return false
		}
	}
	return true
}

// closings are the ends of sessions, or of one, from a sequence up to another.
func (r *Reader) closings(ctx context.Context, session string, from, to uint64) (out []Closing, err error) {
	f := events.Filter{Project: r.Project, Session: session, Type: events.NameOf[events.SessionClosed]()}
	ended := map[string]bool{}
	for e, err := range r.Log.Read(ctx, f, max(from, 1), to) {
		if err != nil {
			return nil, err
		}
		if events.Closes(e) && !ended[e.Session] { // the first one counts
			ended[e.Session], r.closed[e.Session] = true, true
			out = append(out, Closing{e.Session, Mark{e.Seq, e.ID}})
		}
	}
	return out, nil
}

// wasClosed tells whether a session that this process did not begin is closed. It
// asks the log once for each.
func (r *Reader) wasClosed(ctx context.Context, session string) bool {
	closed, asked := r.closed[session]
	for !asked && ctx.Err() == nil {
		found, err := r.closings(ctx, session, 1, 0)
		if r.survivable(ctx, err) != nil {
			return false // the feed ends with the same error
		}
		if err == nil {
			closed, asked = len(found) > 0, true
			r.closed[session] = closed
		}
	}
	return closed
}
