package tierstest

import (
	"strings"
	"testing"

	"manualslop/events"
)

// Default actors of test events; [By] sets another.
const (
	Person = "ada"
	Worker = "worker-1"
	Agent  = "agent-1"
)

// said is a payload with an explicit actor, or with an explicit cause.
type said struct {
	events.Payload
	actor string
	cause string // type of the event whose newest one is the cause
	id    string // of the cause
}

// By returns p as if actor had written it.
func By(actor string, p events.Payload) events.Payload { return said{Payload: p, actor: actor} }

// Due returns p with the newest event of type P before it as its cause, as the outcome of a request has it.
func Due[P events.Payload](p events.Payload) events.Payload {
	return said{Payload: p, cause: events.NameOf[P]()}
}

// On returns p with the event with this id as its cause.
func On(id string, p events.Payload) events.Payload { return said{Payload: p, id: id} }

// computed is a payload that depends on the history before it.
type computed struct {
	events.Payload
	make func(*History) events.Payload
}

// With returns a payload that is computed from the log when it is needed. It can be used in Given,
// When and Then.
func With(make func(*History) events.Payload) events.Payload {
	return computed{events.Unknown{}, make}
}

// checked is an expected fact that is checked by a function instead of compared.
type checked struct {
	events.Payload
	look func(testing.TB, events.Payload)
}

// Check returns an expected fact of type P that look checks.
func Check[P events.Payload](look func(testing.TB, P)) events.Payload {
	return checked{events.Unknown{}, func(t testing.TB, p events.Payload) {
		t.Helper()
		typed, ok := p.(P)
		if !ok {
			var want P
			t.Fatalf("decided %T %+v, want %T", p, p, want)
		}
		look(t, typed)
	}}
}

// actorOf returns the default actor of p.
func actorOf(r *events.Registry, p events.Payload) string {
	switch x := p.(type) {
	case events.ModelRequested:
		return roleOfTier(x.Tier)
	case events.ContextRequested:
		return roleOfTier(x.Tier)
	case events.PlanningFailed:
		return roleOfTier(x.Tier)
	}
	d, ok := r.Lookup(p.EventType().Name)
	if !ok {
		return Person
	}
	first, _, _ := strings.Cut(d.Writer, ", ")
	switch first {
	case "person":
		return Person
	case "worker":
		return Worker
	case "agent":
		return Agent
	case "any decider":
		return events.ActorConductor
	}
	return first
}

func roleOfTier(tier int) string {
	switch tier {
	case 1:
		return events.ActorPlanner
	case 2:
		return events.ActorLead
	case 3:
		return events.ActorContributor
	}
	return events.ActorQA
}
