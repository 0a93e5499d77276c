package tiers

import "manualslop/events"

// MaxReruns limits the failures in one place that are remembered.
const MaxReruns = 256

// Reruns notices commands that failed and then pass although no change of a
// file is on record in between, purely from recorded outcomes. What may have
// changed something unseen, or ran beside another call in the same place, is
// never named. The zero value is ready for use.
type Reruns struct {
	places map[string]*ranIn // by [events.ToolApproved] Workspace
	calls  map[string]*rerun // approved calls without an outcome
}

// ranIn is what ran in one place since its files last changed.
type ranIn struct {
	open   map[string]*rerun
	failed map[string]string // digest of the arguments to the call that failed
}

type rerun struct {
	place    string
	count    Call
	together bool // another call ran in the same place at the same time
}

// Evolve folds an event and returns the call that failed, where the event is
// the outcome of a call that ran the same command again and passed.
func (r *Reruns) Evolve(e *events.Event) string {
	switch p := e.Payload.(type) {
	case events.ToolApproved:
		r.approved(p)
	case events.ToolSettled:
		if c := r.calls[p.Call]; c != nil && c.count.Settle(p) {
			return r.settled(c, p)
		}
	case events.ToolParked:
		if c := r.calls[p.Call]; c != nil && c.count.Park() {
			r.ended(c, p.Call)
			r.places[c.place].changed()
		}
	case events.InterruptResolved:
		if p.Resolution != events.InterruptRetry {
			delete(r.calls, p.Call)
		}
	case events.FilesUpdated:
		if len(p.Files) > 0 {
			r.changed()
		}
	case events.MergeSettled, events.WorkspacePrepared:
		r.changed()
	}
	return ""
}

func (r *Reruns) approved(p events.ToolApproved) {
	if r.places == nil {
		r.places, r.calls = map[string]*ranIn{}, map[string]*rerun{}
	}
	c := r.calls[p.Call]
	if c == nil {
		c = &rerun{place: p.Workspace}
		r.calls[p.Call] = c
	}
	c.count.Approve(p)
	at := r.places[c.place]
	if at == nil {
		at = &ranIn{open: map[string]*rerun{}, failed: map[string]string{}}
		r.places[c.place] = at
	}
	at.open[p.Call] = c
	if len(at.open) > 1 {
		// order-independent: all are marked
		for _, other := range at.open {
			other.together = true
		}
	}
}

func (r *Reruns) settled(c *rerun, p events.ToolSettled) (failed string) {
	r.ended(c, p.Call)
	at := r.places[c.place]
	before := at.failed[p.ArgsSHA256]
	wrote := changes(p)
	if wrote {
		at.changed()
	}
	switch {
	case c.together || p.Interpreter == "":
		return ""
	case p.Outcome == events.ToolDone:
		delete(at.failed, p.ArgsSHA256)
		return before
	case p.Outcome == events.ToolFailed && !wrote && len(at.failed) < MaxReruns:
		at.failed[p.ArgsSHA256] = p.Call
	}
	return ""
}

// changes reports whether a call changed files, or it is unknown.
func changes(p events.ToolSettled) bool {
	if p.Unseen || p.Outcome != events.ToolDone && p.Outcome != events.ToolFailed {
		return true
	}
	for _, f := range p.Files {
		if f.Written {
			return true
		}
	}
	return false
}

// ended notes that a call no longer runs. An interrupted one may run again.
func (r *Reruns) ended(c *rerun, call string) {
	delete(r.places[c.place].open, call)
	if c.count.done {
		delete(r.calls, call)
	}
}

func (r *Reruns) changed() {
	// order-independent: all forget
	for _, at := range r.places {
		at.changed()
	}
}

func (at *ranIn) changed() { clear(at.failed) }

// FlakyWords say, after the result of a call that passed, what to think of it
// after this other one failed.
func FlakyWords(failed string) string {
	return "This command failed before (call " + Clip(failed, events.MaxIDLength) + ") and passed now, although no " +
		"change of a file is on record in between: it is flaky, or depends on something else. Do not take the pass as proof."
}
