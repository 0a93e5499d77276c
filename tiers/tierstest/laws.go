package tierstest

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers"
)

// folds is how often a history is folded: a decision that depends on map order is likely to differ
// at least once.
const folds = 8

// Laws checks the guarantees of every decider for histories of foreign events:
//
//   - folding the same events gives the same facts, including ids and bytes;
//   - a restart that reads the whole log, including its own facts, decides the
//     same, and continues in the same way from any point;
//   - notices and undecodable bodies change nothing, except that the author of
//     an answer is informed, which the tests of approval check;
//   - an event of an unknown type stops it with ErrNewer;
//   - it changes no payload that it was given.
func Laws(t testing.TB, decider Starter, histories ...[]events.Payload) {
	t.Helper()
	require.NotEmpty(t, histories, "laws need a history")
	for _, foreign := range histories {
		h := Play(t, decider, foreign...)
		log := slices.Clone(h.Events())
		name := decider.Start().Name()
		want := ownFacts(t, log, name)
		require.NotEmpty(t, want, "a history on which nothing is decided proves nothing")
		for range folds {
			require.Equal(t, want, fold(t, decider, log), "folding twice differs")
		}
		require.Equal(t, want, fold(t, decider, foreignOnly(log, name)), "it reads its own facts from the log")
		require.Equal(t, want, fold(t, decider, ownLast(log, name)), "the place of its own facts on the log matters")
		require.Equal(t, want, fold(t, decider, withNotices(t, log)), "notices change the decision")
		stopsOnUnknown(t, decider, log)
		restarts(t, decider, foreign, log)
	}
}

// restarts stops before each foreign event, starts again with the log so far and continues; the
// resulting log must be the same.
func restarts(t testing.TB, decider Starter, foreign []events.Payload, want []events.Event) {
	t.Helper()
	for cut := range foreign {
		s := Session(t, decider)
		s.Say(foreign[:cut]...)
		s.Restart(decider)
		s.Say(foreign[cut:]...)
		require.Equal(t, len(want), len(s.log), "a restart before event %d of the history changes it", cut+1)
		for i := range want {
			require.Equal(t, wire(t, want[i]), wire(t, s.log[i]), "a restart before event %d of the history changes it", cut+1)
		}
	}
}

// fold passes the events to a fresh machine and returns its facts as bytes.
func fold(t testing.TB, decider Starter, log []events.Event) []string {
	t.Helper()
	m := decider.Start()
	var out []string
	for _, e := range log {
		before := payloadBytes(t, e.Payload)
		facts := mustTake(t, m, e)
		require.Equal(t, before, payloadBytes(t, e.Payload), "it changed the payload of %s", e.Type)
		out = append(out, facts...)
	}
	return out
}

func mustTake(t testing.TB, m *tiers.Machine, e events.Event) []string {
	t.Helper()
	facts, err := m.Take(&e)
	require.NoError(t, err)
	out := make([]string, len(facts))
	for i, f := range facts {
		out[i] = wire(t, f)
	}
	return out
}

func payloadBytes(t testing.TB, p events.Payload) string {
	t.Helper()
	b, err := json.Marshal(p)
	require.NoError(t, err)
	return string(b)
}

func ownFacts(t testing.TB, log []events.Event, name string) []string {
	t.Helper()
	var out []string
	for _, e := range log {
		if e.Actor == name {
			out = append(out, wire(t, e))
		}
	}
	return out
}

func foreignOnly(log []events.Event, name string) []events.Event {
	return slices.DeleteFunc(slices.Clone(log), func(e events.Event) bool { return e.Actor == name })
}

// ownLast returns the log as if the decider had lagged behind: with all of its facts at the end.
func ownLast(log []events.Event, name string) []events.Event {
	out := foreignOnly(log, name)
	for _, e := range log {
		if e.Actor == name {
			out = append(out, e)
		}
	}
	return out
}

// withNotices inserts a notice of each kind and an undecodable body of a known type after every
// event.
func withNotices(t testing.TB, log []events.Event) []events.Event {
	t.Helper()
	h := newHistory(t)
	h.foreign = 1_000_000 // so that their ids are different
	var noise []events.Payload
	for _, d := range h.registry.Defs() {
		if d.Class == events.Notice {
			noise = append(noise, d.Sample)
		}
		if d.Type != (events.AskAnswered{}).EventType() {
			noise = append(noise, By(Person, events.Malformed{Name: d.Type.Name, Version: 1, Reason: "cut"}))
		}
	}
	for i, e := range log {
		h.log = append(h.log, e)
		h.add(noise[i%len(noise)])
		if i == len(log)/2 || i == len(log)-1 {
			for _, p := range noise {
				h.add(p)
			}
		}
	}
	return h.log
}

func stopsOnUnknown(t testing.TB, decider Starter, log []events.Event) {
	t.Helper()
	m := decider.Start()
	for _, e := range log {
		mustTake(t, m, e)
	}
	h := newHistory(t)
	_, err := m.Take(h.add(By(Person, events.Unknown{Name: "FromTheFuture", Version: 2})))
	require.ErrorIs(t, err, events.ErrNewer)
}

// SilentAfterClose checks that nothing is decided after a session is closed, even if the whole
// history follows again.
func SilentAfterClose(t testing.TB, decider Starter, histories ...[]events.Payload) {
	t.Helper()
	for _, foreign := range histories {
		h, m := newHistory(t), decider.Start()
		for _, p := range foreign {
			h.take(m, h.add(p))
		}
		h.take(m, h.add(events.SessionClosed{Reason: "over"}))
		for _, p := range append(slices.Clone(foreign), events.SessionClosed{Reason: "again"}) {
			require.Empty(t, h.take(m, h.add(p)), "decided after SessionClosed")
		}
	}
}
