package tierstest

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers"
)

// MaxEvents limits the events of one run; more means that deciders react to each other endlessly.
const MaxEvents = 100_000

// Sim runs several machines on one log. Each event is passed, in stream order, to every machine in
// the given order and then to the script; their answers are appended to the log in that order.
// With [Sim.Scatter] they read at different speeds.
type Sim struct {
	*History
	machines []*tiers.Machine
	script   func(events.Event) []events.Payload
	choose   func(int) int // nil: all read in step
	next     []int         // each reader's position in the log: the machines in order, then the script
}

// Session starts machines for the deciders with an empty log.
func Session(t testing.TB, deciders ...Starter) *Sim {
	t.Helper()
	s := &Sim{History: newHistory(t), script: func(events.Event) []events.Payload { return nil }}
	for _, d := range deciders {
		s.machines = append(s.machines, d.Start())
	}
	s.next = make([]int, len(s.machines)+1)
	return s
}

// Scatter lets every machine and the script read at its own speed, as separate processes do: of
// the n readers that have something to read, the one with index choose(n) takes its next event.
func (s *Sim) Scatter(choose func(n int) int) { s.choose = choose }

// Script sets the function that plays everything outside the deciders: it sees each event of the
// log once and returns the events that follow it, such as model replies, tool outcomes, previews
// and a person's answers. It replaces an earlier script.
func (s *Sim) Script(f func(events.Event) []events.Payload) { s.script = f }

// Say appends foreign events one at a time, each followed by all events that result from it.
func (s *Sim) Say(payloads ...events.Payload) {
	s.t.Helper()
	for _, p := range payloads {
		s.add(p)
		s.settle()
	}
}

// SayAtOnce appends all foreign events before any machine reads the first of them.
func (s *Sim) SayAtOnce(payloads ...events.Payload) {
	s.t.Helper()
	for _, p := range payloads {
		s.add(p)
	}
	s.settle()
}

func (s *Sim) settle() {
	s.t.Helper()
	for {
		var behind []int
		for reader, next := range s.next {
			if next < len(s.log) {
				behind = append(behind, reader)
			}
		}
		if len(behind) == 0 {
			return
		}
		require.Less(s.t, len(s.log), MaxEvents, "the session does not become idle")
		s.turn(s.pick(behind))
	}
}

// pick returns the reader whose turn it is: the one furthest behind, or the one that Scatter
// chooses.
func (s *Sim) pick(behind []int) int {
	if s.choose != nil {
		return behind[s.choose(len(behind))]
	}
	return slices.MinFunc(behind, func(a, b int) int { return s.next[a] - s.next[b] })
}

// turn lets one reader take its next event.
func (s *Sim) turn(reader int) {
	s.t.Helper()
	e := s.log[s.next[reader]]
	s.next[reader]++
	if reader < len(s.machines) {
		s.take(s.machines[reader], &e)
		return
	}
	for _, p := range s.script(e) {
		s.add(p)
	}
}

// Restart replaces every machine by a new one that reads the log from the beginning. It fails if
// one of them decides anything other than what the log holds.
func (s *Sim) Restart(deciders ...Starter) {
	s.t.Helper()
	s.machines, s.next = nil, nil
	for _, d := range deciders {
		m := d.Start()
		var decided, stored []string
		for _, e := range s.log {
			facts, err := m.Take(&e)
			require.NoError(s.t, err)
			for _, f := range facts {
				decided = append(decided, wire(s.t, f))
			}
			if e.Actor == m.Name() {
				stored = append(stored, wire(s.t, e))
			}
		}
		require.Equal(s.t, stored, decided, "%s decides differently after a restart", m.Name())
		s.machines, s.next = append(s.machines, m), append(s.next, len(s.log))
	}
	s.next = append(s.next, len(s.log)) // the script has read it as well
}
