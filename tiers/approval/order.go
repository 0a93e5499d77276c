package approval

import (
	"slices"

	"manualslop/events"
)

// reply is one reply of a ticket's model: its calls in its order.
type reply struct {
	attempt, round int
	calls          []*call
}

// release is the approval of a call that waits for earlier calls of its reply.
type release struct {
	grounds    grounds
	generation int
}

// join puts a call at the end of its reply.
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

// earlier are the calls before c in its reply.
func (s *State) earlier(c *call) []*call {
	r := s.replies[c.request.Ticket]
	if r == nil {
		return nil
	}
	at := slices.IndexFunc(r.calls, func(b *call) bool { return b.request.Call == c.request.Call })
	return r.calls[:max(at, 0)]
}

// ahead are the calls that must have had their last word before c runs.
func (s *State) ahead(c *call) []*call {
	var out []*call
	for _, b := range s.earlier(c) {
		if !b.over && s.meets(b, c) {
			out = append(out, b)
		}
	}
	return out
}

// meets tells whether the order of two calls counts: one changes a file that the
// other names, or one writes files, the other changes something, and nobody knows
// which files one of them touches. Scripts meet neither reads nor each other: the
// model is told that calls run side by side, and nobody was shown what they do.
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

// open tells whether nobody knows which files a call touches.
func open(c *call, files []string) bool { return !c.tool.confined() || len(files) == 0 }

// waits keeps an approval back until the calls ahead have had their last word.
func (s *State) waits(c *call, g grounds, generation int) bool {
	if len(s.ahead(c)) == 0 {
		return false
	}
	kept := s.calls[c.request.Call]
	*kept = *c // a person may have edited it
	kept.held = &release{g, generation}
	return true
}

// lastWord ends a call and lets go what waited for it.
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

// letOn goes on with a call that waited for others, if none is ahead any more.
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

// dropReply denies what waits for other calls of its reply.
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

// moved is what a person was shown of a call, carried over to the files as
// earlier calls of the same reply left them, and these calls. What cannot be
// carried over stays as it was shown, and the worker refuses it.
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

// carry takes a change over what another call wrote, where that wrote the very
// file that the change begins with.
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
