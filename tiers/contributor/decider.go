package contributor

import (
	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/conversation"
)

// Decider returns the two functions of the contributor.
func Decider() tiers.Decider[*State] {
	return tiers.Decider[*State]{Name: events.ActorContributor, New: newState, Evolve: evolve, Decide: decide}
}

// State is the contributor's state for a session.
type State struct {
	opened   string // id of SessionOpened
	basis    events.Basis
	settings events.Settings
	tools    []tool
	origins  map[string]string // origin of a tool's results, by the tool's name
	offers   conversation.Offers
	goals    tiers.Goals
	reruns   tiers.Reruns
	closed   bool
	presets  map[string][]events.TrackedFile // saved selections of files, by name
	shown    map[string]events.TrackedFile   // by path: how the project wants a file shown
	// screenshots are the project's screenshots that are not tracked, in its order
	screenshots []events.TrackedFile
	runs        map[string]*run   // by ticket: the run of its newest attempt
	requests    map[string]string // id of an unanswered own request to its ticket
	calls       map[string]string // id of a requested call of a running round to its ticket
	talking     map[string]string // by discussion: its unfinished turn
	talks       tiers.Talks       // of requests and of tickets that are not completed
	notes       map[string][]note // by ticket that is not completed: notes of people
	touched     *run              // the run that the last event affected; may be nil
}

func newState() *State {
	return &State{presets: map[string][]events.TrackedFile{}, runs: map[string]*run{}, requests: map[string]string{},
		calls: map[string]string{}, talking: map[string]string{}, notes: map[string][]note{},
		talks: tiers.Talks{}}
}

// decide checks only the run that the last event affected: nothing has become due for other runs.
func decide(s *State, _ *events.Event) []events.Payload {
	if s.touched == nil || s.closed {
		return nil
	}
	return s.touched.next(s)
}

// running returns the unfinished run of exactly this attempt at a ticket; nil if there is none.
func (s *State) running(ticket string, attempt int) *run {
	r := s.runs[ticket]
	if r == nil || r.attempt != attempt || r.phase == ended {
		return nil
	}
	s.touched = r
	return r
}

// stepping returns the unfinished run that waits for a user's decision on a round; nil if there
// is none.
func (s *State) stepping(ticket string, attempt, round int) *run {
	r := s.running(ticket, attempt)
	if r == nil || r.phase != awaitStep && r.phase != awaitCallStep || r.round != round {
		return nil
	}
	return r
}
