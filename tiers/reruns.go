package tiers

import "manualslop/events"

// MaxReruns limits how many failures are remembered per workspace.
const MaxReruns = 256

// Reruns detects commands that failed and later pass although no file change is recorded in
// between. It uses recorded outcomes only. It ignores calls that may have changed something unseen
// or that ran in parallel with another call in the same workspace. The zero value is ready to use.
type Reruns struct {
	places map[string]*ranIn // by the Workspace of [events.ToolApproved]
	calls  map[string]*rerun // approved calls without an outcome
}

// ranIn holds the calls that ran in one workspace since its files last changed.
type ranIn struct {
	open   map[string]*rerun
	failed map[string]string // digest of the arguments to the call that failed with them
}

type rerun struct {
	place    string
	count    Call
	together bool // another call ran in the same workspace at the same time
}

// Evolve folds an event. If it is the outcome of a call that repeated a failed command and passed,
// Evolve returns the failed call, else "".
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

// changes reports whether a call changed files or may have.
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

// ended records that a call no longer runs. An interrupted call may run again.
func (r *Reruns) ended(c *rerun, call string) {
	delete(r.places[c.place].open, call)
	if c.count.done {
		delete(r.calls, call)
	}
}

func (r *Reruns) changed() {
	// order-independent: all are reset
	for _, at := range r.places {
		at.changed()
	}
}

func (at *ranIn) changed() { clear(at.failed) }

// FlakyWords returns the note that follows the result of a call that passed after the named call
// failed.
func FlakyWords(failed string) string {
	return "This command failed before (call " + Clip(failed, events.MaxIDLength) + ") and passed now, although no " +
		"change of a file is on record in between: it is flaky, or depends on something else. Do not take the pass as proof."
}
