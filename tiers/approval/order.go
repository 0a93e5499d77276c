package approval

import (
	"slices"

	"manualslop/events"
)

// reply is one reply of a ticket's model: its calls in order.
type reply struct {
	attempt, round int
	calls          []*call
}

// release is the approval of a call that waits for earlier calls of its reply.
type release struct {
	grounds    grounds
	generation int
}

// join adds a call to the end of its reply.
func (s *State) join(c *call) {
	q := c.request
	if q.Ticket == "" {
		return
	}
	r := s.replies[q.Ticket]
	if r == nil || r.attempt != q.Attempt || r.round != q.Round {
		r = &reply{attempt: q.Attempt, round: q.Round}
		s.replies[q.Ticket] = r
	}
	r.calls = append(r.calls, c)
}

// earlier returns the calls that come before c in its reply.
func (s *State) earlier(c *call) []*call {
	r := s.replies[c.request.Ticket]
	if r == nil {
		return nil
	}
	at := slices.IndexFunc(r.calls, func(b *call) bool { return b.request.Call == c.request.Call })
	return r.calls[:max(at, 0)]
}

// ahead returns the calls that must finish before c runs.
func (s *State) ahead(c *call) []*call {
	var out []*call
	for _, b := range s.earlier(c) {
		if !b.over && s.meets(b, c) {
			out = append(out, b)
		}
	}
	return out
}

// meets reports whether the order of two calls matters: either one changes a file that the other
// names, or one writes files, the other changes something, and it is not known which files one of
// them touches. Scripts conflict neither with reads nor with each other: the model knows that
// calls run concurrently, and scripts have no preview.
func (s *State) meets(a, b *call) bool {
	if a.request.Workspace != b.request.Workspace {
		return false
	}
	aChanges, bChanges := !a.tool.harmless(), !b.tool.harmless()
	if !aChanges && !bChanges {
		return false
	}
	ofA, ofB := s.files(a), s.files(b)
	if aChanges && bChanges && (a.tool.previews() || b.tool.previews()) && (open(a, ofA) || open(b, ofB)) {
		return true
	}
	return slices.ContainsFunc(ofA, func(f string) bool {
		return slices.ContainsFunc(ofB, func(g string) bool { return fold(f) == fold(g) })
	})
}

// open reports whether the files that a call touches are not known.
func open(c *call, files []string) bool { return !c.tool.confined() || len(files) == 0 }

// waits delays an approval if calls ahead are not finished, and reports whether it did.
func (s *State) waits(c *call, g grounds, generation int) bool {
	if len(s.ahead(c)) == 0 {
		return false
	}
	kept := s.calls[c.request.Call]
	*kept = *c // a user may have edited it
	kept.held = &release{g, generation}
	return true
}

// lastWord records the final result of a call and releases the calls that waited for it.
func (s *State) lastWord(c *call, wrote []events.FileChange) {
	r := s.replies[c.request.Ticket]
	if r == nil {
		return
	}
	at := slices.IndexFunc(r.calls, func(b *call) bool { return b.request.Call == c.request.Call })
	if at < 0 || r.calls[at].over {
		return
	}
	ended := r.calls[at]
	ended.over, ended.held, ended.again, ended.wrote = true, nil, false, wrote
	for _, b := range slices.Clone(r.calls[at+1:]) {
		s.letOn(b)
	}
}

// letOn continues with a waiting call once no call is ahead of it.
func (s *State) letOn(c *call) {
	if c.over || c.held == nil && !c.again || len(s.ahead(c)) > 0 || s.closed ||
		s.over(c.request.Ticket, c.request.Attempt) {
		return
	}
	held := c.held
	c.held, c.again = nil, false
	if held == nil {
		s.owe(previewOf(c))
		return
	}
	if rule, no := s.forbidden(c); no {
		s.deny(c, grounds{by: byRule, ask: held.grounds.ask}, forbids(rule))
		return
	}
	s.approve(c, held.grounds, held.generation)
}

// dropReply denies calls that wait for other calls of their reply.
func (s *State) dropReply(r *reply, by, reason string) {
	if r == nil {
		return
	}
	for _, c := range r.calls {
		if !c.over && (c.held != nil || c.again) && (s.closed || s.over(c.request.Ticket, c.request.Attempt)) {
			s.deny(c, grounds{by: by}, reason)
		}
	}
}

// moved returns the changes that a user was shown for a call, adapted to the changes that
// earlier calls of the same reply made, and these calls. Changes that cannot be adapted stay as
// shown, and the worker rejects them.
func (s *State) moved(c *call) (changes []events.FileChange, behind []string) {
	changes = c.shown
	for i, shown := range c.shown {
		now := shown
		for _, b := range s.earlier(c) {
			if carry(&now, b.wrote) && !slices.Contains(behind, b.request.Call) {
				behind = append(behind, b.request.Call)
			}
		}
		if now.Moved {
			if &changes[0] == &c.shown[0] {
				changes = slices.Clone(c.shown)
			}
			changes[i] = now
		}
	}
	return changes, behind
}

// carry adapts a change to the changes of another call to the same original file, if possible.
func carry(change *events.FileChange, wrote []events.FileChange) bool {
	for _, w := range wrote {
		if fold(w.Path) != fold(change.Path) || w.Before != change.Before || len(change.Edits) == 0 {
			continue
		}
		edits, apart := events.MoveEdits(change.Edits, w.Edits)
		if apart {
			*change = events.FileChange{Path: change.Path, Before: w.After, Edits: edits, Moved: true}
		}
		return apart
	}
	return false
}
