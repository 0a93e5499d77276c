package qa

import (
	"manualslop/events"
	"manualslop/tiers"
)

// Decider is qa's two functions.
func Decider() tiers.Decider[*State] {
	return tiers.Decider[*State]{Name: events.ActorQA, New: newState, Evolve: evolve, Decide: decide}
}

// State is what qa knows of a session.
type State struct {
	settings events.Settings
	calls    map[string]*call
	requests map[string]*triage       // by id of an own request that waits for its answer
	killed   map[string]int           // ticket to its newest killed attempt
	contexts map[string]string        // id of a request for a ticket's views to the ticket
	rules    map[string][]events.Part // by ticket: the project's rules, as its contributor reads them
	closed   bool
	owed     events.Payload // what the last event made due
}

// call is a tool call from its request on.
type call struct {
	ticket  string
	attempt int
	count   tiers.Call
}

func newState() *State {
	return &State{calls: map[string]*call{}, requests: map[string]*triage{}, killed: map[string]int{},
		contexts: map[string]string{}, rules: map[string][]events.Part{}}
}

func decide(s *State, _ *events.Event) []events.Payload {
	if s.owed == nil || s.closed {
		return nil
	}
	return []events.Payload{s.owed}
}

func evolve(s *State, e *events.Event) *State {
	s.owed = nil
	switch p := e.Payload.(type) {
	case events.SessionOpened:
		s.settings = p.Settings
	case events.SessionClosed:
		s.closed = true
	case events.TicketKilled:
		s.killed[p.Ticket] = max(s.killed[p.Ticket], p.Attempt)
	case events.ModelRequested:
		if e.Actor == events.ActorQA {
			s.requests[e.ID] = &triage{call: p.Call, ticket: p.Ticket, request: p}
		}
	case events.ModelReplied:
		if t := s.answered(p.Request); t != nil {
			s.owed = t.replied(p)
		}
	case events.ModelFailed:
		if t := s.answered(p.Request); t != nil {
			s.owed = s.failed(t, p, e.Time)
		}
	case events.ModelDenied:
		if t := s.answered(p.Request); t != nil {
			s.owed = skipped(t.call, t.ticket, "budget: "+p.Reason)
		}
	default:
		s.settings, _ = s.settings.Changed(e.Payload)
		s.follow(e)
	}
	return s
}

// follow keeps count of tool calls as every decider does.
func (s *State) follow(e *events.Event) {
	switch p := e.Payload.(type) {
	case events.ContextRequested:
		if e.Actor == events.ActorContributor {
			s.contexts[e.ID] = p.Ticket
		}
	case events.ContextBuilt:
		if ticket, asked := s.contexts[p.Request]; asked {
			s.rules[ticket], _ = tiers.SplitRules(e.ID, p.Views)
			delete(s.contexts, p.Request)
		}
	case events.ToolRequested:
		if s.calls[p.Call] == nil {
			s.calls[p.Call] = &call{ticket: p.Ticket, attempt: p.Attempt}
		}
	case events.ToolApproved:
		if c := s.calls[p.Call]; c != nil {
			c.count.Approve(p)
		}
	case events.ToolParked:
		if c := s.calls[p.Call]; c != nil {
			c.count.Park()
		}
	case events.InterruptResolved:
		if c := s.calls[p.Call]; c != nil && p.Resolution != events.InterruptRetry {
			c.count.Resolve()
		}
	case events.ToolSettled:
		if c := s.calls[p.Call]; c != nil && c.count.Settle(p) && tiers.WantsHint(p) {
			s.owed = s.triage(e.ID, c, p)
		}
	}
}

// over tells whether the attempt of a call was ended by a person.
func (s *State) over(c *call) bool {
	last, killed := s.killed[c.ticket]
	return killed && c.attempt <= last
}

// answered takes the triage that waits for an answer to a request; the first
// one counts.
func (s *State) answered(request string) *triage {
	t := s.requests[request]
	delete(s.requests, request)
	return t
}
