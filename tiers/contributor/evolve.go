package contributor

import "manualslop/events"

func evolve(s *State, e *events.Event) *State {
	s.touched = ""
	switch p := e.Payload.(type) {
	case events.SessionOpened:
		s.settings, s.stepMode = p.Settings, p.Settings.StepMode
	case events.ToolsOffered:
		s.tools = s.tools[:0:0]
		for _, t := range p.Tools {
			s.tools = append(s.tools, t.Name)
		}
	case events.StepModeSet:
		s.stepMode = p.On
	case events.SessionClosed:
		s.closed = true
	case events.TicketStarted:
		s.runs[p.Ticket.ID] = newRun(p)
		s.touch(p.Ticket.ID)
	case events.TicketKilled:
		if r := s.running(p.Ticket, p.Attempt); r != nil {
			r.phase = ended
		}
	case events.TicketResolved:
		if r := s.running(p.Ticket, p.Attempt); r != nil {
			r.phase = ended
		}
	case events.ContextRequested, events.ModelRequested, events.RefreshRequested, events.StepRequested, events.ToolRequested:
		s.evolveOwn(e)
	case events.ContextBuilt:
		if r := s.asked(p.Request); r != nil && r.phase == awaitContext {
			r.context(e.ID, p)
		}
	case events.StepApproved:
		if r := s.running(p.Ticket, p.Attempt); r != nil && r.phase == awaitStep && r.round == p.Round {
			r.phase = sendRound
		}
	case events.StepDenied:
		if r := s.running(p.Ticket, p.Attempt); r != nil && r.phase == awaitStep && r.round == p.Round {
			r.end(events.ResolvedBlocked, "", "step refused by "+p.By+": "+p.Reason)
		}
	case events.ModelReplied:
		if r := s.asked(p.Request); r != nil && r.phase == awaitModel {
			r.replied(e.ID, p)
		}
	case events.ModelFailed:
		if r := s.asked(p.Request); r != nil && r.phase == awaitModel {
			r.modelFailed(p, e.Time)
		}
	case events.FilesUpdated:
		if r := s.asked(p.Request); r != nil && r.phase == awaitRefresh {
			r.refreshed(p, s.settings)
		}
	default:
		s.evolveCall(e)
	}
	return s
}

// evolveOwn notes that an own fact exists, so that it is not decided again.
func (s *State) evolveOwn(e *events.Event) {
	switch p := e.Payload.(type) {
	case events.ContextRequested:
		if r := s.running(p.Ticket, p.Attempt); r != nil && p.Tier == 3 {
			r.wait(awaitContext, e.ID)
			s.requests[e.ID] = p.Ticket
		}
	case events.ModelRequested:
		if r := s.running(p.Ticket, p.TicketAttempt); r != nil && p.Tier == 3 {
			r.wait(awaitModel, e.ID)
			r.request, r.retry = p, nil
			s.requests[e.ID] = p.Ticket
		}
	case events.RefreshRequested:
		if r := s.running(p.Ticket, p.Attempt); r != nil {
			r.wait(awaitRefresh, e.ID)
			s.requests[e.ID] = p.Ticket
		}
	case events.StepRequested:
		if r := s.running(p.Ticket, p.Attempt); r != nil {
			r.phase = awaitStep
		}
	case events.ToolRequested:
		if r := s.running(p.Ticket, p.Attempt); r != nil {
			s.calls[p.Call] = p.Ticket
			r.requested++
			r.afterRequests()
		}
	}
}

// evolveCall folds what others say about one of the calls.
func (s *State) evolveCall(e *events.Event) {
	switch p := e.Payload.(type) {
	case events.ToolApproved:
		if _, c := s.call(p.Call); c != nil {
			c.count.Approve(p)
		}
	case events.ToolDenied:
		if r, c := s.call(p.Call); c != nil && c.result == nil {
			c.answer(denial(p))
			r.settle()
		}
	case events.ToolSettled:
		if r, c := s.call(p.Call); c != nil && c.count.Settle(p) {
			r.settled(c, e.ID, p)
		}
	case events.InterruptResolved:
		if r, c := s.call(p.Call); c != nil && p.Resolution != events.InterruptRetry && c.result == nil {
			c.count.Resolve()
			c.answer(resolution(p))
			r.settle()
		}
	case events.HintGiven:
		if r, c := s.call(p.Call); c != nil && c.awaitsHint {
			c.hint(p.Hint)
			r.settle()
		}
	case events.HintSkipped:
		if r, c := s.call(p.Call); c != nil && c.awaitsHint {
			c.awaitsHint = false
			r.settle()
		}
	}
}

// call finds a call of a live run.
func (s *State) call(id string) (*run, *call) {
	r := s.touch(s.calls[id])
	if r == nil || r.phase != awaitCalls {
		return nil, nil
	}
	for _, c := range r.calls {
		if c.id == id {
			return r, c
		}
	}
	return nil, nil
}
