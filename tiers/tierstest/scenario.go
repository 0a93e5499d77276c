package tierstest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers"
)

// Starter is a decider with any type of state.
type Starter interface{ Start() *tiers.Machine }

// Scenario is one row of a decider's table. Given and When are foreign events; the decider's own
// decisions on Given are made by its machine. Then is the complete decision on When, in order;
// empty means that nothing is decided.
type Scenario struct {
	Name  string
	Given []events.Payload
	When  events.Payload
	Then  []events.Payload
}

// Run runs each scenario as a parallel subtest.
func Run(t *testing.T, decider Starter, scenarios []Scenario) {
	t.Helper()
	for _, sc := range scenarios {
		t.Run(sc.Name, func(t *testing.T) {
			t.Parallel()
			sc.play(t, decider)
		})
	}
}

func (sc Scenario) play(t *testing.T, decider Starter) {
	t.Helper()
	h, m := newHistory(t), decider.Start()
	for _, p := range sc.Given {
		h.take(m, h.add(p))
	}
	got := h.take(m, h.add(sc.When))
	sc.compare(t, h, m.Name(), got)
}

// compare runs the checks of checked facts and compares the others as a reader of the log sees
// them: an empty list that JSON omits equals nil.
func (sc Scenario) compare(t *testing.T, h *History, decider string, got []events.Payload) {
	t.Helper()
	want := make([]events.Payload, len(sc.Then))
	for i, p := range sc.Then {
		if c, ok := p.(computed); ok {
			p = c.make(h)
		}
		c, look := p.(checked)
		switch {
		case !look:
			want[i] = reread(t, h.registry, decider, p)
		case i < len(got):
			c.look(t, got[i])
			want[i] = got[i]
		default:
			want[i] = p
		}
	}
	if len(want) == 0 {
		require.Empty(t, got)
		return
	}
	require.Equal(t, want, got)
}

func reread(t *testing.T, r *events.Registry, actor string, p events.Payload) events.Payload {
	t.Helper()
	e, err := events.New(events.Origin{ID: ID(0), Actor: actor}, p)
	require.NoError(t, err)
	e.Payload = nil
	r.Decode(&e)
	return e.Payload
}

// StateAfter returns a decider's state after the foreign events.
func StateAfter[S any](t testing.TB, decider tiers.Decider[S], foreign ...events.Payload) S {
	t.Helper()
	last, evolve := decider.New(), decider.Evolve
	decider.Evolve = func(s S, e *events.Event) S {
		last = evolve(s, e)
		return last
	}
	Play(t, decider, foreign...)
	return last
}

// Play passes the foreign events to the decider one by one and returns the whole log, for
// histories, digests and benchmarks.
func Play(t testing.TB, decider Starter, foreign ...events.Payload) *History {
	t.Helper()
	h, m := newHistory(t), decider.Start()
	for _, p := range foreign {
		h.take(m, h.add(p))
	}
	return h
}
