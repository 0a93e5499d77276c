// Package contributor is the decider of tier 3: the loop of model replies and
// tool calls that carries out a ticket. The original calls it the worker, and
// so do its stream ids: "Tier 3 (Worker): <ticket id>".
//
// # Contract
//
// Each TicketStarted begins a run with an empty conversation: nothing of an
// earlier attempt or of another ticket reaches the model. A round is one reply
// and its calls, which run in parallel; the next round waits until every call
// has an outcome, every failed shell call has its hint or the reason why it
// gets none, and the files the conversation knows were reread. The run ends
// with exactly one TicketResolved, or silently when its ticket is killed.
package contributor

import (
	"manualslop/events"
	"manualslop/tiers"
)

// Decider is the contributor's two functions.
func Decider() tiers.Decider[*State] {
	return tiers.Decider[*State]{Name: events.ActorContributor, New: newState, Evolve: evolve, Decide: decide}
}

// DefaultMaxRounds bounds the rounds of one attempt where the settings do not.
const DefaultMaxRounds = 40

// State is what the contributor knows of a session.
type State struct {
	settings events.Settings
	tools    []string
	stepMode bool
	closed   bool
	runs     map[string]*run   // by ticket: its newest attempt
	requests map[string]string // id of an own request to its ticket
	calls    map[string]string // call id to its ticket
	touched  string            // ticket that the last event was about
}

func newState() *State {
	return &State{runs: map[string]*run{}, requests: map[string]string{}, calls: map[string]string{}}
}

// decide looks only at the run that the last event was about: every other run
// was quiet before it and still is.
func decide(s *State, _ *events.Event) []events.Payload {
	r := s.runs[s.touched]
	if r == nil || s.closed {
		return nil
	}
	return r.next(s)
}

func (s *State) touch(ticket string) *run {
	s.touched = ticket
	return s.runs[ticket]
}

// running is the live run of a ticket's attempt, nil if there is none.
func (s *State) running(ticket string, attempt int) *run {
	if r := s.touch(ticket); r != nil && r.attempt == attempt && r.phase != ended {
		return r
	}
	return nil
}

// asked is the live run that waits for the answer to an own request.
func (s *State) asked(request string) *run {
	r := s.touch(s.requests[request])
	if r == nil || r.phase == ended || r.pending != request {
		return nil
	}
	return r
}
