package approval

import "manualslop/events"

// settle closes an ask and owes what follows from it.
func (s *State) settle(a *ask, out events.AskSettled) {
	out.Ask, out.Gate = a.raised.Ask, a.raised.Gate
	s.owe(out)
	switch a.raised.Gate {
	case events.GateTool:
		s.settleTool(a, out)
	case events.GateSpawn:
		s.settleSpawn(a, out)
	case events.GateStep:
		s.settleStep(a, out)
	case events.GateInterrupted:
		s.settleInterrupted(a, out)
	}
}

func (s *State) settleTool(a *ask, out events.AskSettled) {
	c := s.calls[a.raised.Call]
	if out.Outcome != events.Yes {
		s.deny(c, out.By, out.Ask, refusal(out))
		return
	}
	if len(out.Args) == 0 {
		s.approve(c, out.By, "", out.Ask, false, 1)
		return
	}
	edited := *c
	edited.args = out.Args
	digest, err := events.CanonicalDigest(out.Args)
	if err != nil {
		s.deny(c, "engine", out.Ask, "the edited arguments have no canonical form")
		return
	}
	edited.digest = digest
	if v, rule := s.judge(c.request.Tool, out.Args); v == deny {
		s.deny(c, "rule", out.Ask, "a rule forbids the edited arguments ("+ruleName(rule)+")")
		return
	}
	s.approve(&edited, out.By, "", out.Ask, true, 1)
}

func refusal(out events.AskSettled) string {
	if out.Reason != "" {
		return out.Reason
	}
	return "refused by " + out.By
}

func (s *State) settleSpawn(a *ask, out events.AskSettled) {
	t, n := a.raised.Ticket, a.raised.Attempt
	if out.Outcome != events.Yes {
		s.owe(events.SpawnDenied{Ticket: t, Attempt: n, Reason: refusal(out), By: out.By, Ask: out.Ask})
		return
	}
	s.owe(events.SpawnApproved{Ticket: t, Attempt: n, Prompt: promptOf(out.Args), By: out.By, Ask: out.Ask})
}

func (s *State) settleStep(a *ask, out events.AskSettled) {
	t, n, round := a.raised.Ticket, a.raised.Attempt, a.raised.Round
	if out.Outcome != events.Yes {
		s.owe(events.StepDenied{Ticket: t, Attempt: n, Round: round, Reason: refusal(out), By: out.By, Ask: out.Ask})
		return
	}
	s.owe(events.StepApproved{Ticket: t, Attempt: n, Round: round, By: out.By, Ask: out.Ask})
}

func (s *State) settleInterrupted(a *ask, out events.AskSettled) {
	c := s.calls[a.raised.Call]
	resolution := events.InterruptFail
	if out.Outcome == events.Yes {
		resolution = events.InterruptRetry
		if r := resolutionOf(out.Args); r != "" {
			resolution = r
		}
	}
	s.owe(events.InterruptResolved{Call: c.request.Call, Tool: c.request.Tool, Ticket: c.request.Ticket,
		Resolution: resolution, By: out.By, Reason: out.Reason})
	if resolution == events.InterruptRetry {
		s.approve(c, out.By, "", out.Ask, false, c.count.Generation()+1)
	}
}

// kill withdraws the questions of a killed attempt.
func (s *State) kill(e *events.Event, p events.TicketKilled) {
	s.killed[p.Ticket] = max(s.killed[p.Ticket], p.Attempt)
	s.withdraw(e, p.By, "the ticket was killed", func(a *ask) bool {
		return a.raised.Ticket == p.Ticket && a.raised.Attempt <= p.Attempt
	})
}

// close withdraws every question of a session that is over.
func (s *State) close(e *events.Event, p events.SessionClosed) {
	s.closed = true
	s.withdraw(e, e.Actor, "the session was closed: "+p.Reason, func(*ask) bool { return true })
}

// withdraw settles open asks as a no, in the order raised.
func (s *State) withdraw(e *events.Event, by, reason string, which func(*ask) bool) {
	still := s.open[:0:0]
	for _, a := range s.open {
		switch {
		case a.settled != nil:
		case which(a):
			s.settle(a, events.AskSettled{Outcome: events.No, By: by, AnswerID: e.ID, Reason: reason, At: e.Time})
		default:
			still = append(still, a)
		}
	}
	s.open = still
}
