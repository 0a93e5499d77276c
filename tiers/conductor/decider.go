package conductor

import (
	"manualslop/events"
	"manualslop/tiers"
)

// Decider returns the decider that runs goals, tracks and tickets.
func Decider() tiers.Decider[*State] {
	return tiers.Decider[*State]{
		Name: events.ActorConductor,
		New: func() *State {
			return &State{
				goals: map[string]*goal{}, tracks: map[string]*track{}, tickets: map[string]*ticket{},
				removed: map[string]bool{}, awaited: map[string][]*ticket{}, workers: map[string]string{}, turns: map[string]bool{},
				targets: map[string]*ticket{},
			}
		},
		Evolve: evolve,
		Decide: decide,
	}
}

func evolve(s *State, e *events.Event) *State {
	switch {
	case s.closed:
	case e.Actor == events.ActorConductor:
		s.emitted(e)
	default:
		s.rest()
		s.fold(e)
	}
	return s
}

// decide checks only what the cause affected, in the order person, tickets, slots, tracks, goals;
// each kind is checked once the earlier ones have settled.
func decide(s *State, _ *events.Event) []events.Payload {
	if s.closed {
		return nil
	}
	if s.request != nil {
		return s.answer(s.request)
	}
	var out []events.Payload
	for _, t := range s.touchedTickets {
		out = appendDue(out, s.ticketDue(t))
	}
	if len(out) > 0 {
		return out
	}
	if out = appendDue(appendDue(out, s.mergeDue()), s.spawn()); len(out) > 0 {
		return out
	}
	for _, tr := range s.touchedTracks {
		out = appendDue(out, trackDue(tr))
	}
	if len(out) > 0 {
		return out
	}
	for _, g := range s.touchedGoals {
		out = appendDue(out, goalDue(g))
	}
	return out
}

func appendDue(out []events.Payload, p events.Payload) []events.Payload {
	if p == nil {
		return out
	}
	return append(out, p)
}
