// Package approval is the decider that says yes or no: the only one that
// writes ToolApproved, and only what a rule or an answer of a person justifies.
//
// # Contract
//
//   - Every tool call ends as ToolApproved or ToolDenied. Reads run; writes,
//     shells and unknown effects ask unless a rule of the person allows them.
//     Deny beats ask beats allow.
//   - An ask is settled once, by the first valid answer or timer in stream
//     order. Every later or invalid answer gets an AnswerRefused that says why.
//   - A yes covers exact bytes: ToolApproved carries the digest of the
//     arguments, also of those that the person edited, which pass the schema
//     and the deny rules again.
//   - Whatever cannot be judged is a question or a no, never a yes.
package approval

import (
	"manualslop/events"
	"manualslop/tiers"
)

// Decider is approval's two functions.
func Decider() tiers.Decider[*State] {
	return tiers.Decider[*State]{Name: events.ActorApproval, New: newState, Evolve: evolve, Decide: decide}
}

// State is what approval knows of a session.
type State struct {
	settings  events.Settings
	workspace string
	rules     []events.Rule
	tools     map[string]*tool
	calls     map[string]*call
	asks      map[string]*ask
	open      []*ask         // in the order raised; settled ones are dropped when met
	killed    map[string]int // ticket to its newest killed attempt
	closed    bool
	owed      []events.Payload // what the last foreign event made due, in order
}

func newState() *State {
	return &State{tools: map[string]*tool{}, calls: map[string]*call{}, asks: map[string]*ask{}, killed: map[string]int{}}
}

// decide hands out what the last foreign event made due, first things first.
// Folding a fact takes it off the list, so a crash between two of them is
// repaired by folding again.
func decide(s *State, _ *events.Event) []events.Payload { return s.owed }

// evolve folds one event. A foreign event computes what is owed; an own fact
// has just paid the head of the list.
func evolve(s *State, e *events.Event) *State {
	if e.Actor == events.ActorApproval {
		s.paid(e)
		return s
	}
	s.owed = s.owed[:0:0]
	if s.closed {
		return s
	}
	switch p := e.Payload.(type) {
	case events.SessionOpened:
		s.settings, s.workspace = p.Settings, p.Workspace
		s.rules = append(s.rules, p.Settings.Rules...)
	case events.RuleAdded:
		s.rules = append(s.rules, p.Rule)
	case events.ToolsOffered:
		s.offer(p)
	case events.ToolRequested:
		s.request(e, p)
	case events.PreviewBuilt:
		s.preview(e, p)
	case events.ToolSettled:
		s.settled(e, p)
	case events.ToolParked:
		s.parked(e, p)
	case events.SpawnRequested:
		s.spawn(e, p)
	case events.StepRequested:
		s.step(e, p)
	case events.AskPosted:
		s.posted(e, p)
	case events.AskAnswered:
		s.answered(e, p)
	case events.TimerFired:
		s.fired(e, p)
	case events.TicketKilled:
		s.kill(e, p)
	case events.SessionClosed:
		s.close(e, p)
	case events.Malformed:
		s.unreadable(e, p)
	}
	return s
}

// owe makes facts due.
func (s *State) owe(p ...events.Payload) { s.owed = append(s.owed, p...) }

// paid folds an own fact: it is the head of what is owed, and what its
// existence means for calls and asks is noted.
func (s *State) paid(e *events.Event) {
	if len(s.owed) > 0 {
		s.owed = s.owed[1:]
	}
	switch p := e.Payload.(type) {
	case events.AskRaised:
		a := &ask{raised: p}
		s.asks[p.Ask] = a
		s.open = append(s.open, a)
	case events.AskSettled:
		s.asks[p.Ask].settled = &p
	case events.ToolApproved:
		c := s.calls[p.Call]
		c.count.Approve(p)
		c.args, c.digest = p.Args, p.ArgsSHA256
	case events.ToolDenied:
		s.calls[p.Call].denied = true
	case events.InterruptResolved:
		if p.Resolution != events.InterruptRetry {
			s.calls[p.Call].count.Resolve()
		}
	}
}
