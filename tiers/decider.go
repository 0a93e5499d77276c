// Package tiers holds the deciders: pure functions that fold a session's facts
// and say which facts ought to follow.
//
// # Contract
//
//   - A [Decider] has no clock, no randomness, no I/O and never depends on map
//     order. Whatever a decision depends on is an event first.
//   - It is level-triggered: Decide returns the facts that ought to exist and
//     do not. An emitted fact changes the state, so it is not emitted again.
//   - It takes foreign events one at a time in stream order. Its own facts
//     stand directly after their cause in its fold, whatever their position on
//     the stream. Running, restarting and verifying are one procedure: [Machine.Take].
package tiers

import (
	"errors"
	"fmt"

	"manualslop/events"
)

// Decider is two pure functions over its own state.
type Decider[S any] struct {
	// Name is the actor token under which its facts are written.
	Name string
	// New is the state before the first event.
	New func() S
	// Evolve folds one event, foreign or its own, into the state. It may reuse
	// the state it was given; the caller never looks at that again.
	Evolve func(S, *events.Event) S
	// Decide returns facts that ought to exist now and do not. It is called
	// after cause was folded, and again after its facts were folded, until it
	// returns none: all of them together are the decision on cause.
	Decide func(s S, cause *events.Event) []events.Payload
}

// MaxFacts limits the facts of one decision; more means a decider that does not
// settle.
const MaxFacts = 10_000

// ErrUnsettled means that a decider kept deciding on one cause: a programmer's
// error.
var ErrUnsettled = errors.New("decider does not settle")

// Machine is a decider working on one session.
type Machine struct {
	name  string
	n     uint64
	state any // *S
	step  func(*events.Event) ([]events.Payload, error)
}

// Start begins a machine on an empty session.
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

// Name returns the decider's actor token.
func (m *Machine) Name() string { return m.name }

// State points to what the decider knows, and to how many facts it decided. A
// snapshot stores both between two events and puts both back before the first;
// nobody else may look at them.
func (m *Machine) State() (state any, decided *uint64) { return m.state, &m.n }

// Take folds one foreign event and returns the whole list of facts decided on
// it, in order and already folded. The machine's own events and notices change
// nothing. ErrNewer for an event that this program does not know: the session
// is stalled, and the machine must be started again with a program that does.
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
