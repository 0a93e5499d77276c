// Package tiers holds the deciders: pure functions that fold a session's facts and return which
// facts should follow.
//
// # Contract
//
//   - A [Decider] has no clock, no randomness and no I/O, and never depends on
//     map order. Everything that a decision depends on is an event first.
//   - It is level-triggered: Decide returns the facts that should exist but do not. An emitted
//     fact changes the state, so it is not emitted again.
//   - It takes foreign events one at a time in stream order. Its own facts
//     are folded directly after their cause, whatever their position in the
//     stream. Running, restarting and verifying all use [Machine.Take].
package tiers

import (
	"errors"
	"fmt"

	"manualslop/events"
)

// Decider is a pair of pure functions over a state of its own.
type Decider[S any] struct {
	// Name is the actor under which its facts are written.
	Name string
	// New returns the state before the first event.
	New func() S
	// Evolve folds one event, foreign or its own, into the state. It may modify the state in
	// place; the caller does not use the old one again.
	Evolve func(S, *events.Event) S
	// Decide returns facts that should exist now but do not. It is called after cause was folded,
	// and again after its facts were folded, until it returns none: all of them together are the
	// decision on cause.
	Decide func(s S, cause *events.Event) []events.Payload
}

// MaxFacts limits the facts of one decision; if there are more, the decider does not settle.
const MaxFacts = 10_000

// ErrUnsettled means that a decider never stopped deciding on one cause, which is a bug.
var ErrUnsettled = errors.New("decider does not settle")

// Machine runs a decider on one session.
type Machine struct {
	name  string
	n     uint64
	state any // *S
	step  func(*events.Event) ([]events.Payload, error)
}

// Start returns a machine for a new session.
func (d Decider[S]) Start() *Machine {
	s := d.New()
	m := &Machine{name: d.Name, state: &s}
	m.step = func(cause *events.Event) ([]events.Payload, error) {
		s = d.Evolve(s, cause)
		var all []events.Payload
		for {
			facts := d.Decide(s, cause)
			if len(facts) == 0 {
				return all, nil
			}
			if len(all)+len(facts) > MaxFacts {
				return nil, fmt.Errorf("%w: %s on %s %s", ErrUnsettled, d.Name, cause.Type, cause.ID)
			}
			for _, p := range facts {
				own := &events.Event{Type: p.EventType().Name, Actor: d.Name, Cause: cause.ID, Time: cause.Time,
					Project: cause.Project, Session: cause.Session, Payload: p}
				own.ID = events.DecidedID(d.Name, *cause, len(all))
				all = append(all, p)
				s = d.Evolve(s, own)
			}
		}
	}
	return m
}

// Name returns the decider's actor name.
func (m *Machine) Name() string { return m.name }

// State returns pointers to the decider's state and to the number of facts that it decided. A
// snapshot saves both between two events and restores both before the first; nothing else may
// access them.
func (m *Machine) State() (state any, decided *uint64) { return m.state, &m.n }

// Take folds one foreign event and returns all facts decided on it, in order and already folded.
// The machine's own events change nothing. Take returns ErrNewer for an event that this program
// does not know: the session stalls, and the machine must be started again by a program that knows
// it.
func (m *Machine) Take(cause *events.Event) ([]events.Event, error) {
	if cause.Actor == m.name {
		return nil, nil
	}
	if err := events.Catalogue().Knows(cause); err != nil {
		return nil, err
	}
	if err := knowsDecisions(cause); err != nil {
		return nil, err
	}
	facts, err := m.step(cause)
	if err != nil || len(facts) == 0 {
		return nil, err
	}
	out := make([]events.Event, len(facts))
	for i, p := range facts {
		m.n++
		if out[i], err = events.Decided(m.name, *cause, i, m.n, p); err != nil {
			return nil, err
		}
	}
	return out, nil
}
