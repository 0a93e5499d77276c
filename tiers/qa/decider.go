package qa

import (
	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/conversation"
)

// Decider returns the two functions of qa.
func Decider() tiers.Decider[*State] {
	return tiers.Decider[*State]{Name: events.ActorQA, New: newState, Evolve: evolve, Decide: decide}
}

// State is qa's state for a session.
type State struct {
	basis     events.Basis
	settings  events.Settings
	calls     map[string]*call         // calls in progress, and failed shell calls for which a patch may be requested
	requests  map[string]*talk         // by id of an unanswered own request
	opened    string                   // id of SessionOpened
	patches   map[string]*patch        // by id of its own request for views
	contexts  map[string]string        // id of a request for a ticket's views to the ticket
	rules     map[string][]events.Part // by ticket: the project's rules as its contributor reads them
	targets   map[string]string        // ticket to its target file
	killed    map[string]int           // ticket to its newest killed attempt
	reruns    tiers.Reruns
	closed    bool
	offers    conversation.Offers
	owed      []events.Payload // facts that the last event made due
	asking    *talk            // the query of a due request
	preparing *patch           // the patch for which the due views are requested
}

// call is a tool call, followed from its request on.
type call struct {
	ticket  string
	attempt int
	target  string // the ticket's target file
	place   string // workspace in which it runs
	count   tiers.Call
	linter  *linter      // the linter that its script runs; nil if none is known
	trace   *events.Part // its failure as tier 4 reads it; nil if it did not fail
}

func newState() *State {
	return &State{calls: map[string]*call{}, requests: map[string]*talk{}, patches: map[string]*patch{},
		targets: map[string]string{},
		killed:  map[string]int{}, contexts: map[string]string{}, rules: map[string][]events.Part{}}
}

func decide(s *State, _ *events.Event) []events.Payload {
	if s.closed {
		return nil
	}
	return s.owed
}

func evolve(s *State, e *events.Event) *State {
	if e.Actor == events.ActorQA {
		s.emitted(e)
		return s
	}
	s.owed = nil
	s.offers.Evolve(e)
	switch p := e.Payload.(type) {
	case events.SessionOpened:
		s.opened, s.basis, s.settings = e.ID, p.Basis, p.Settings
	case events.DecisionsUpgraded:
		s.upgraded(p.Basis)
	case events.SessionClosed:
		s.closed = true
	case events.TicketKilled:
		s.killed[p.Ticket] = max(s.killed[p.Ticket], p.Attempt)
	case events.TicketStarted:
		s.targets[p.Ticket.ID] = p.Ticket.TargetFile
	case events.PatchRequested:
		s.owed = s.propose(e, p)
	case events.ContextBuilt:
		w := s.patches[p.Request]
		if w == nil {
			s.follow(e)
			break
		}
		delete(s.patches, p.Request)
		s.owed = s.prepared(w, e, p)
	case events.ModelReplied:
		if a := s.answered(p.Request); a != nil {
			s.owed = s.replied(a, p)
		}
	case events.ModelFailed:
		if a := s.answered(p.Request); a != nil {
			s.owed = s.failed(a, p, e.Time)
		}
	case events.ModelDenied:
		if a := s.answered(p.Request); a != nil {
			s.owed = []events.Payload{a.query().skip("budget: " + p.Reason)}
		}
	default:
		s.settings, _ = s.settings.Changed(e.Payload)
		s.follow(e)
	}
	return s
}

// upgraded switches to another basis and replaces its texts in every conversation.
func (s *State) upgraded(to events.Basis) {
	// order-independent: each is handled on its own
	for _, t := range s.requests {
		t.prompt.Reword(s.basis, to)
	}
	s.basis = to
}

// emitted folds a fact of its own.
func (s *State) emitted(e *events.Event) {
	if len(s.owed) > 0 {
		s.owed = s.owed[1:]
	}
	switch p := e.Payload.(type) {
	case events.ContextRequested:
		s.patches[e.ID] = s.preparing
	case events.ModelRequested:
		s.asking.sent = s.asking.sent.Then(e.ID, p)
		s.requests[e.ID] = s.asking
	}
}

// follow tracks tool calls as every decider does.
func (s *State) follow(e *events.Event) {
	failed := s.reruns.Evolve(e)
	switch p := e.Payload.(type) {
	case events.ContextRequested:
		if e.Actor == events.ActorContributor {
			s.contexts[e.ID] = p.Ticket
		}
	case events.ContextBuilt:
		if ticket, asked := s.contexts[p.Request]; asked {
			s.rules[ticket], _ = tiers.SplitRules(s.opened, e.ID, p.Views)
			delete(s.contexts, p.Request)
		}
	case events.ToolRequested:
		if s.calls[p.Call] == nil {
			s.calls[p.Call] = &call{ticket: p.Ticket, attempt: p.Attempt, target: s.targets[p.Ticket], place: p.Workspace}
		}
	case events.ToolApproved:
		if c := s.calls[p.Call]; c != nil {
			c.count.Approve(p)
			if p.Tool == shellTool {
				c.linter = linterIn(p.Args)
			}
		}
	case events.ToolParked:
		if c := s.calls[p.Call]; c != nil {
			c.count.Park()
		}
	case events.ToolDenied:
		delete(s.calls, p.Call)
	case events.InterruptResolved:
		if p.Resolution != events.InterruptRetry {
			delete(s.calls, p.Call)
		}
	case events.ToolSettled:
		if c := s.calls[p.Call]; c != nil && c.count.Settle(p) {
			s.settled(e, c, p, failed)
		}
	}
}

// settled folds the outcome of a call that counts. A call is kept if it may run again or a user
// may still ask about it.
func (s *State) settled(e *events.Event, c *call, p events.ToolSettled, failed string) {
	switch {
	case tiers.WantsHint(p):
		s.owed = s.triage(e.ID, c, p)
		return
	case p.Outcome == events.ToolInterrupted:
		return
	case failed != "":
		s.owed = []events.Payload{events.FlakyNoticed{Call: p.Call, Failed: failed, Ticket: c.ticket}}
	}
	delete(s.calls, p.Call)
}

// over reports whether a user killed the attempt of a call.
func (s *State) over(c *call) bool {
	last, killed := s.killed[c.ticket]
	return killed && c.attempt <= last
}

// answered removes and returns the query that waits for an answer to a request; the first answer
// counts.
func (s *State) answered(request string) *talk {
	a := s.requests[request]
	delete(s.requests, request)
	return a
}
