package approval

import (
	"maps"
	"slices"

	"manualslop/events"
	"manualslop/tiers"
)

// settle closes an ask and adds the facts that follow from it.
func (s *State) settle(a *ask, out events.AskSettled) {
	out.Ask, out.Gate = a.id, a.gate
	s.owe(out)
	a.settled = &settlement{by: out.By, at: out.At}
	s.dropTried(a)
	switch a.gate {
	case events.GateTool:
		s.settleTool(s.calls[a.call], out)
	case events.GateSpawn:
		s.settleSpawn(a, out)
	case events.GateStep:
		s.settleStep(a, out)
	case events.GateQuestion:
		s.settleQuestion(a, out)
	case events.GatePlan:
		s.settlePlan(a, out)
	case events.GateMerge:
		s.settleMerge(a, out)
	case events.GateInterrupted:
		s.settleInterrupted(s.calls[a.call], out)
	case events.GateBudget:
		s.settleBudget(a, out)
	}
}

// settleTool lets a call run with the arguments that the ask showed or that the user edited,
// unless a rule now denies them.
func (s *State) settleTool(c *call, out events.AskSettled) {
	if out.Outcome != events.Yes {
		s.deny(c, grounds{by: out.By, ask: out.Ask}, refusal(out))
		return
	}
	now := *c
	if len(out.Args) > 0 {
		now = c.with(out.Args)
	}
	if rule, no := s.forbidden(&now); no {
		s.deny(c, grounds{by: byRule, ask: out.Ask}, forbids(rule))
		return
	}
	g := grounds{by: out.By, ask: out.Ask}
	if _, answered := s.cause.Payload.(events.AskAnswered); !answered {
		g.rule = out.Reason
	}
	s.approve(&now, g, 1)
}

// forbidden returns the deny rule that applies to the current form of a call, if any.
func (s *State) forbidden(c *call) (events.Rule, bool) {
	v, rule := s.judge(c)
	return rule, v == denied
}

func forbids(r events.Rule) string { return "a rule forbids it (" + ruleName(r) + ")" }

// refusal returns the reason shown to a model.
func refusal(out events.AskSettled) string {
	if out.Reason != "" {
		return out.Reason
	}
	return "refused by " + out.By
}

// kill withdraws the asks and previews for a ticket's attempts up to the killed one.
func (s *State) kill(e *events.Event, p events.TicketKilled) {
	s.killed[p.Ticket] = max(s.killed[p.Ticket], p.Attempt)
	s.withdraw(e, p.By, killedReason, func(a *ask) bool { return a.ticket == p.Ticket && a.attempt <= p.Attempt })
	s.dropPreviews(p.By, killedReason, func(c *call) bool { return s.over(c.request.Ticket, c.request.Attempt) })
	s.dropReply(s.replies[p.Ticket], p.By, killedReason)
	if s.money != nil {
		s.admit(e)
	}
}

// blocked withdraws the spawn ask of a ticket that a user has blocked.
func (s *State) blocked(e *events.Event, p events.TicketBlocked) {
	s.withdraw(e, e.Actor, "the ticket was blocked: "+tiers.Clip(p.Reason, MaxReason), func(a *ask) bool {
		return a.gate == events.GateSpawn && a.ticket == p.Ticket
	})
}

// close withdraws all asks and previews of a closed session.
func (s *State) close(e *events.Event, p events.SessionClosed) {
	s.closed = true
	reason := "the session was closed: " + tiers.Clip(p.Reason, MaxReason)
	s.withdraw(e, e.Actor, reason, func(*ask) bool { return true })
	s.dropPreviews(e.Actor, reason, func(*call) bool { return true })
	for _, ticket := range slices.Sorted(maps.Keys(s.replies)) {
		s.dropReply(s.replies[ticket], e.Actor, reason)
	}
}

// withdraw settles the selected open asks as rejected, in the order in which they were raised.
func (s *State) withdraw(e *events.Event, by, reason string, which func(*ask) bool) {
	for _, a := range s.open {
		if which(a) {
			s.settle(a, events.AskSettled{Outcome: events.No, By: by, AnswerID: e.ID, Reason: reason, At: e.Time})
		}
	}
}

// dropPreviews denies the selected calls that wait for their preview, oldest first.
func (s *State) dropPreviews(by, reason string, which func(*call) bool) {
	for _, c := range s.previews {
		if which(c) {
			s.previews = without(s.previews, c)
			s.deny(c, grounds{by: by}, reason)
		}
	}
}
