package tierstest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers"
)

// MaxEvents bounds one run to quiet; more means deciders that chase each other.
const MaxEvents = 100_000

// Sim is several machines on one log. Each event goes, in stream order, to
// every machine in the order given and then to the script; what they answer is
// appended to the log in that order.
type Sim struct {
	*History
	machines []*tiers.Machine
	script   func(events.Event) []events.Payload
	next     int
}

// Session starts machines of the deciders on an empty log.
func Session(t testing.TB, deciders ...Starter) *Sim {
	t.Helper()
	s := &Sim{History: newHistory(t), script: func(events.Event) []events.Payload { return nil }}
	for _, d := range deciders {
		s.machines = append(s.machines, d.Start())
	}
	return s
}

// Script sets who plays the world: it sees each event of the log once and
// returns the outcomes and answers that follow it: model replies, tool
// outcomes, previews, a person's yes. It replaces an earlier script.
func (s *Sim) Script(f func(events.Event) []events.Payload) { s.script = f }

// Say appends foreign events one at a time, each followed by everything that
// comes of it, until the log is quiet.
func (s *Sim) Say(payloads ...events.Payload) {
	s.t.Helper()
	for _, p := range payloads {
		s.add(p)
		s.settle()
	}
}

// SayAtOnce appends foreign events before anybody reads the first of them.
func (s *Sim) SayAtOnce(payloads ...events.Payload) {
	s.t.Helper()
	for _, p := range payloads {
		s.add(p)
	}
	s.settle()
}

func (s *Sim) settle() {
	s.t.Helper()
	for ; s.next < len(s.log); s.next++ {
		require.Less(s.t, len(s.log), MaxEvents, "the session does not come to rest")
		e := s.log[s.next]
		for _, m := range s.machines {
			s.take(m, &e)
		}
		for _, p := range s.script(e) {
			s.add(p)
		}
	}
}

// Restart replaces every machine by a new one that reads the log from its
// beginning, and fails if any of them decides anything else than the log holds.
func (s *Sim) Restart(deciders ...Starter) {
	s.t.Helper()
	s.machines = s.machines[:0]
	for _, d := range deciders {
		m := d.Start()
		var decided, stored []string
		for _, e := range s.log[:s.next] {
			facts, err := m.Take(&e)
			require.NoError(s.t, err)
			for _, f := range facts {
				decided = append(decided, wire(s.t, f))
			}
			if e.Actor == m.Name() {
				stored = append(stored, wire(s.t, e))
			}
		}
		require.Equal(s.t, stored, decided, "%s decides otherwise after a restart", m.Name())
		s.machines = append(s.machines, m)
	}
}
