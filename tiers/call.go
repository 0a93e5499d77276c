package tiers

import "manualslop/events"

// Call follows one tool call from its approval to its outcome, so that every
// decider counts the same facts: the first valid one in stream order.
type Call struct {
	generation int
	digest     string
	open       bool // approved and without a valid outcome of this generation
	done       bool // a final outcome counted
}

// Approve folds ToolApproved; a later generation reopens an interrupted call.
func (c *Call) Approve(a events.ToolApproved) {
	if c.done || a.Generation <= c.generation {
		return
	}
	c.generation, c.digest, c.open = a.Generation, a.ArgsSHA256, true
}

// Settle folds an outcome and reports whether it counts: the first one for the approved bytes and
// the current generation does. An interrupted call is not done until [Call.Resolve] or the next
// generation.
func (c *Call) Settle(s events.ToolSettled) bool {
	if c.done || !c.open || s.Generation != c.generation || s.ArgsSHA256 != c.digest {
		return false
	}
	c.open = false
	c.done = s.Outcome != events.ToolInterrupted
	return true
}

// Park records that the pool gave up the call. It returns false, and changes nothing, if the call was
// not open.
func (c *Call) Park() bool {
	if c.done || !c.open {
		return false
	}
	c.open = false
	return true
}

// Resolve ends an interrupted or parked call as a user decided.
func (c *Call) Resolve() { c.open, c.done = false, true }

// Generation returns the newest approved generation, or 0 before approval.
func (c *Call) Generation() int { return c.generation }

// WantsHint reports whether an outcome is that of a failed shell call, which tier 4 reads before
// tier 3 does.
func WantsHint(s events.ToolSettled) bool {
	return s.Outcome == events.ToolFailed && s.Interpreter != ""
}
