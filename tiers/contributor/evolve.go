package contributor

import (
	"slices"

	"manualslop/events"
	"manualslop/tiers"
)

func evolve(s *State, e *events.Event) *State {
	s.touched = nil
	s.offers.Evolve(e)
	s.goals.Evolve(e)
	switch p := e.Payload.(type) {
	case events.SessionOpened:
		s.opened, s.basis, s.settings = e.ID, p.Basis, p.Settings
	case events.DecisionsUpgraded:
		s.upgraded(p.Basis)
	case events.ToolsOffered:
		s.tools, s.origins = toolsOf(p), make(map[string]string, len(p.Tools))
		for _, t := range p.Tools {
			s.origins[t.Name] = tiers.OriginOf(t.Name, t.Effect)
		}
	case events.SessionClosed:
		s.closed = true
	case events.TicketNoted:
		s.notes[p.Ticket] = append(s.notes[p.Ticket], note{by: p.By, text: p.Note})
	case events.TalkAttached:
		s.talks.Evolve(e)
	case events.TicketsAdded: // the request's own discussions are those of its ticket
		for _, t := range p.Tickets {
			if of := s.talks[p.Request]; len(of) > 0 {
				s.talks[t.ID] = of
			}
		}
		delete(s.talks, p.Request)
	case events.TicketCompleted:
		delete(s.notes, p.Ticket)
		delete(s.talks, p.Ticket)
	case events.TicketStarted:
		s.touched = newRun(p)
		s.runs[p.Ticket.ID] = s.touched
	case events.TurnRequested:
		s.ask(e, p)
	case events.TicketKilled:
		switch r := s.running(p.Ticket, p.Attempt); {
		case r == nil:
		case r.turn != nil:
			s.stopTurn(r, p.By)
		default:
			s.over(r)
		}
	default:
		if e.Actor == events.ActorContributor {
			s.emitted(e)
			break
		}
		s.settings, _ = s.settings.Changed(e.Payload)
		s.answered(e)
		s.evolveCall(e, s.reruns.Evolve(e))
		s.foldFiles(e)
	}
	if s.touched != nil {
		s.touched.takeNotes(s)
		s.touched.fit(s)
	}
	return s
}

// upgraded switches to another basis and replaces its texts in every conversation.
func (s *State) upgraded(to events.Basis) {
	// order-independent: each run is handled on its own
	for _, r := range s.runs {
		r.talk.Reword(s.basis, to)
	}
	s.basis = to
}

// emitted folds a fact of its own, so that it is not decided again.
func (s *State) emitted(e *events.Event) {
	switch p := e.Payload.(type) {
	case events.ContextRequested:
		if r := s.running(p.Ticket, p.Attempt); r != nil {
			s.wait(r, awaitContext, e.ID)
		}
	case events.ModelRequested:
		if r := s.running(p.Ticket, p.TicketAttempt); r != nil {
			s.wait(r, awaitModel, e.ID)
			if r.retry == nil { // a retry repeats what was sent
				r.talk.Sent()
			}
			r.sent, r.retry, r.texts = r.sent.Then(e.ID, p), nil, nil
		}
	case events.RefreshRequested:
		if r := s.running(p.Ticket, p.Attempt); r != nil {
			s.wait(r, awaitRefresh, e.ID)
		}
	case events.StepRequested:
		if r := s.running(p.Ticket, p.Attempt); r != nil {
			if r.phase == callTools {
				r.phase = awaitCallStep
			} else {
				r.phase = awaitStep
			}
		}
	case events.QuestionRequested:
		if r := s.running(p.Ticket, p.Attempt); r != nil {
			r.phase, r.questionID = awaitAnswer, e.ID
		}
	case events.ToolRequested:
		if r := s.running(p.Ticket, p.Attempt); r != nil {
			s.calls[p.Call] = p.Ticket
			r.callRequested()
		}
	case events.ConversationShortened:
		if r := s.running(p.Ticket, p.Attempt); r != nil {
			r.talk.Apply(p)
		}
	case events.TicketResolved:
		if r := s.running(p.Ticket, p.Attempt); r != nil {
			s.over(r)
		}
	case events.TurnEnded:
		s.turnEnded(p)
	}
}

// wait suspends a run until its request is answered.
func (s *State) wait(r *run, p phase, request string) {
	r.phase, r.pending = p, request
	s.requests[request] = r.ticket.ID
}

// answered folds answers to the run's own requests.
func (s *State) answered(e *events.Event) {
	switch p := e.Payload.(type) {
	case events.ContextBuilt:
		if r := s.asked(p.Request, awaitContext); r != nil {
			r.context(s, e.ID, p)
		}
	case events.StepApproved:
		if r := s.stepping(p.Ticket, p.Attempt, p.Round); r != nil {
			r.stepApproved(p)
		}
	case events.StepDenied:
		if r := s.stepping(p.Ticket, p.Attempt, p.Round); r != nil {
			r.end(events.ResolvedBlocked, "", "step refused by "+p.By+": "+p.Reason)
			r.outcome.Final = true
		}
	case events.QuestionAnswered:
		s.questionAnswered(p)
	case events.ModelReplied:
		if r := s.asked(p.Request, awaitModel); r != nil {
			r.talk.Heard(&s.offers, r.sent.Asked, r.refresh, e.ID, p)
			r.replied(s, e.ID, p)
			r.findTools(s)
		}
	case events.ModelFailed:
		if r := s.asked(p.Request, awaitModel); r != nil {
			r.modelFailed(s.settings, p, e.Time)
		}
	case events.ModelDenied:
		if r := s.asked(p.Request, awaitModel); r != nil {
			r.modelDenied(p)
		}
	case events.FilesUpdated:
		if r := s.asked(p.Request, awaitRefresh); r != nil {
			r.refreshed(s, e.ID, p)
		}
	}
}

// evolveCall folds an event of another actor about one of the calls; flaky is an earlier failed
// call of the same command, if nothing changed in between.
func (s *State) evolveCall(e *events.Event, flaky string) {
	switch p := e.Payload.(type) {
	case events.ToolApproved:
		if _, c := s.call(p.Call); c != nil {
			c.count.Approve(p)
			if p.Edited && s.showsSteps() {
				c.change(p.By, p.Args)
			}
		}
	case events.PreviewBuilt:
		if _, c := s.call(p.Call); c != nil {
			c.previewed(e.ID, p)
		}
	case events.ToolDenied:
		if r, c := s.call(p.Call); c != nil && c.result == nil {
			c.denied = p.Reason
			s.result(r, c, c.denial(p))
		}
	case events.ToolSettled:
		if r, c := s.call(p.Call); c != nil && c.count.Settle(p) {
			r.changed(p)
			c.ran(r.ticket.Proof, p)
			if p.Interpreter == "" { // a refresh shows files that a script changed, if the conversation knows them
				r.learned(p.Files)
			}
			if p.Outcome != events.ToolInterrupted {
				c.awaitsHint = tiers.WantsHint(p)
				still := p.Unchanged && s.compares() && !slices.ContainsFunc(r.calls, func(c *call) bool { return c.wrote })
				r.learnText(s, p.SHA256, p.Text)
				s.result(r, c, outcome(e.ID, p, s.origins[p.Tool], flaky))
				if still && r.phase == needRefresh { // a refresh would find nothing
					r.nextRound(s)
				}
			}
		}
	case events.ToolParked:
		if _, c := s.call(p.Call); c != nil {
			c.count.Park()
		}
	case events.InterruptResolved:
		if r, c := s.call(p.Call); c != nil && p.Resolution != events.InterruptRetry && c.result == nil {
			s.result(r, c, resolution(p))
		}
	case events.HintGiven:
		if r, c := s.call(p.Call); c != nil && c.awaitsHint {
			c.hint(p.Hint)
			s.settle(r)
		}
	case events.HintSkipped:
		if r, c := s.call(p.Call); c != nil && c.awaitsHint {
			c.awaitsHint = false
			s.settle(r)
		}
	}
}

// result sets the result of a call; later results are ignored.
func (s *State) result(r *run, c *call, p events.Part) {
	c.count.Resolve()
	p.Prefix = c.changed + p.Prefix
	c.answer(p)
	s.settle(r)
}

// asked returns the unfinished run that waits in phase p for the answer to one of its requests; nil if
// there is none. It forgets the request, because only the first answer counts.
func (s *State) asked(request string, p phase) *run {
	r := s.runs[s.requests[request]]
	if r == nil || r.phase != p || r.pending != request {
		return nil
	}
	delete(s.requests, request)
	s.touched = r
	return r
}

// over ends an attempt; answers that it waits for are ignored from now on.
func (s *State) over(r *run) {
	delete(s.requests, r.pending)
	s.forget(r.calls)
	r.over()
}

// settle ends a round once all of its calls have results.
func (s *State) settle(r *run) {
	calls := r.calls
	if r.settle(); r.calls == nil {
		s.forget(calls)
	}
}

func (s *State) forget(calls []*call) {
	for _, c := range calls {
		delete(s.calls, c.id)
	}
}

// call returns a call of the current round of an unfinished run.
func (s *State) call(id string) (*run, *call) {
	r := s.runs[s.calls[id]]
	if r == nil || r.phase != awaitCalls {
		return nil, nil
	}
	for _, c := range r.calls {
		if c.id == id {
			s.touched = r
			return r, c
		}
	}
	return nil, nil
}
