package approval

import (
	"cmp"

	"manualslop/events"
	"manualslop/tiers"
)

// settled folds the outcome of a call, if it counts. If the call's worker died while it changed
// something, an ask is raised.
func (s *State) settled(e *events.Event, p events.ToolSettled) {
	c := s.calls[p.Call]
	if c == nil || !c.count.Settle(p) {
		return
	}
	s.withdraw(e, "engine", "the call that it belongs to has ended", func(a *ask) bool {
		return a.gate == events.GateInput && a.call == p.Call
	})
	if p.Outcome == events.ToolInterrupted {
		s.interrupted(e, c, "its worker stopped in the middle of it; nobody knows how far it came, and what it started may "+
			"still run")
		return
	}
	if !p.Own || s.basis.Decision(events.ActorApproval) < 2 {
		s.answeredCall(c)
	}
	s.wrote(e, c, p)
	s.holdWritten(c, p.Files)
	s.calls[p.Call] = nil
	s.lastWord(c, p.Edited)
}

// parked handles a running call, or the preview that a call waits for, after the pool gave up on
// it.
func (s *State) parked(e *events.Event, p events.ToolParked) {
	c := s.calls[p.Call]
	switch {
	case c == nil:
	case c.count.Park():
		s.interrupted(e, c, p.Reason)
	default:
		s.preview(e, events.PreviewBuilt{Call: p.Call, Error: p.Reason, GivenUp: true})
	}
}

func (s *State) interrupted(e *events.Event, c *call, why string) {
	c.stopped = e.Seq
	if s.closed { // no more asks are raised
		s.half(c)
		s.calls[c.request.Call] = nil
		return
	}
	if s.over(c.request.Ticket, c.request.Attempt) {
		s.resolve(c, events.InterruptFail, "engine", killedReason)
		return
	}
	a := askAbout(c, events.GateInterrupted, "interrupted: "+CallTitle(c.request.Tool, c.args))
	a.Note = tiers.Clip(why, MaxNote) +
		`. yes runs it again; yes with {"resolution":"done"} takes it as done; no takes it as failed`
	s.raise(e, a)
}

// half records that it is not known what an interrupted call changed.
func (s *State) half(c *call) {
	s.writes = append(s.writes, write{call: c.request.Call, tool: c.request.Tool, ticket: cmp.Or(c.request.Ticket,
		c.undone), place: c.request.Workspace, seq: c.stopped, unseen: true})
}

func (s *State) resolve(c *call, resolution, by, reason string) {
	if resolution != events.InterruptRetry {
		s.half(c)
	}
	s.owe(events.InterruptResolved{Call: c.request.Call, Tool: c.request.Tool, Ticket: c.request.Ticket,
		Resolution: resolution, By: by, Reason: reason})
	if resolution != events.InterruptRetry {
		s.lastWord(c, nil)
	}
}

// settleInterrupted applies the user's answer. Anything but a plain yes means
// fail, and an approval does not override a deny rule.
func (s *State) settleInterrupted(c *call, out events.AskSettled) {
	resolution, reason := events.InterruptFail, out.Reason
	if out.Outcome == events.Yes {
		resolution = events.InterruptRetry
		if len(out.Args) > 0 {
			resolution = resolutionOf(out.Args)
		}
	}
	if rule, no := s.forbidden(c); no && resolution == events.InterruptRetry {
		resolution, reason = events.InterruptFail, forbids(rule)
	}
	s.resolve(c, resolution, out.By, reason)
	if resolution == events.InterruptRetry {
		again := *c
		again.shown = nil // the files are now as the interrupted run left them
		s.approve(&again, grounds{by: out.By, ask: out.Ask}, c.count.Generation()+1)
	}
}
