package approval

import (
	"encoding/json"

	"manualslop/events"
)

// with returns the call with arguments that a person edited and that match the schema.
func (c *call) with(args json.RawMessage) call {
	now := *c
	now.args = args
	now.digest, _ = c.tool.check(args)
	if now.edited = now.digest != c.digest; now.edited {
		now.shown = nil // the person wrote these arguments and saw no diff of them
	}
	return now
}

// badArguments returns why a call cannot run with edited arguments, as far as the log shows, or "". Older decisions
// settle the ask and then deny the call if a rule forbids it.
func (s *State) badArguments(c *call, args json.RawMessage) string {
	if _, bad := c.tool.check(args); bad != "" {
		return "the edited arguments do not fit: " + bad
	}
	now := c.with(args)
	if !now.edited || s.basis.Decision(events.ActorApproval) < 2 {
		return ""
	}
	if rule, no := s.forbidden(&now); no {
		return "the edited arguments do not fit: " + forbids(rule)
	}
	if ticket, file := s.heldBy(&now); ticket != "" {
		return "the edited arguments do not fit: " + line(file) + " is being changed by ticket " + ticket
	}
	return ""
}

// checks requests a preview of edited arguments before the answer counts, because only a worker knows whether the
// workspace refuses them. It reports whether the answer waits. Answers that come meanwhile wait behind the first one.
func (s *State) checks(e *events.Event, a *ask, p events.AskAnswered) bool {
	if s.queues(e, a) {
		return true
	}
	if a.gate != events.GateTool || len(p.Args) == 0 || s.basis.Decision(events.ActorApproval) < 2 {
		return false
	}
	c := s.calls[a.call]
	now := c.with(p.Args)
	if !now.edited || !c.tool.tries() {
		return false
	}
	c.answers = []*events.Event{e}
	s.owe(previewOf(&now))
	return true
}

// queues puts an answer, or the end of the time for one, behind an answer that is being checked, and reports whether
// there is one.
func (s *State) queues(e *events.Event, a *ask) bool {
	if a.gate != events.GateTool || len(s.calls[a.call].answers) == 0 {
		return false
	}
	c := s.calls[a.call]
	c.answers = append(c.answers, e)
	return true
}

// checked continues with the answers to an ask once a preview shows whether the arguments of the first one can run. If
// not, the ask stays open. A preview that fails while earlier calls of the reply are unfinished shows nothing, because
// those may change what it failed on.
func (s *State) checked(e *events.Event, c *call, p events.PreviewBuilt) {
	waiting := c.answers
	c.answers = nil
	answer := waiting[0].Payload.(events.AskAnswered)
	a := s.asks[answer.Ask]
	args := stored(answer.Args)
	now := c.with(args)
	why := s.badArguments(c, args)
	if why == "" && p.Error != "" && len(s.ahead(&now)) == 0 {
		why = "the edited arguments do not fit: " + p.Error
	}
	if why == "" {
		answer.Args = args
		s.accept(waiting[0], a, answer)
	} else {
		s.refuse(waiting[0], a.id, why)
	}
	for _, later := range waiting[1:] {
		switch p := later.Payload.(type) {
		case events.AskAnswered:
			s.answered(later, p)
		case events.TimerFired:
			s.fired(later, p)
		}
	}
	if a.settled == nil {
		s.settleByRules(e) // rules leave an ask alone while an answer to it is checked
	}
}

// dropAnswers rejects the answers that wait for a check, because the ask was settled otherwise.
func (s *State) dropAnswers(a *ask) {
	if a.gate != events.GateTool {
		return
	}
	c := s.calls[a.call]
	waiting := c.answers
	c.answers = nil
	for _, e := range waiting {
		if _, is := e.Payload.(events.AskAnswered); is {
			s.refuse(e, a.id, alreadySettled)
		}
	}
}
