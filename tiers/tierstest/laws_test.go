package tierstest_test

import (
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/tierstest"
)

// verdict is a test that may fail without failing the one around it.
type verdict struct {
	testing.TB
	failed bool
}

func (v *verdict) Helper()               {}
func (v *verdict) Errorf(string, ...any) { v.failed = true }
func (v *verdict) FailNow()              { v.failed = true; runtime.Goexit() }

// breaks tells whether f fails the test that it is given.
func breaks(t *testing.T, f func(testing.TB)) bool {
	t.Helper()
	v := &verdict{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f(v)
	}()
	<-done
	return v.failed
}

// answering is a decider that answers every event with what say returns.
func answering(say func(e *events.Event) events.Payload) tiers.Decider[[]events.Payload] {
	return tiers.Decider[[]events.Payload]{
		Name: events.ActorConductor,
		New:  func() []events.Payload { return nil },
		Evolve: func(_ []events.Payload, e *events.Event) []events.Payload {
			if e.Actor == events.ActorConductor {
				return nil
			}
			if p := say(e); p != nil {
				return []events.Payload{p}
			}
			return nil
		},
		Decide: func(s []events.Payload, _ *events.Event) []events.Payload { return s },
	}
}

func TestLawsBite(t *testing.T) {
	t.Parallel()
	history := []events.Payload{events.PauseRequested{}, events.TracksAccepted{Goal: "g", Tracks: []string{"TR-1"}}}
	var calls atomic.Int64
	for name, bad := range map[string]func(*events.Event) events.Payload{
		"a memory outside the state": func(e *events.Event) events.Payload {
			if calls.Add(1)%7 == 0 {
				return nil
			}
			return events.Paused{By: e.Actor}
		},
		"a decision on a notice": func(e *events.Event) events.Payload {
			return events.Paused{By: e.Actor}
		},
		"a changed payload": func(e *events.Event) events.Payload {
			switch x := e.Payload.(type) {
			case events.TracksAccepted:
				x.Tracks[0] += "!"
			case events.PauseRequested:
				return events.Paused{By: e.Actor}
			}
			return nil
		},
		"nothing decided": func(*events.Event) events.Payload { return nil },
	} {
		require.True(t, breaks(t, func(tb testing.TB) { tierstest.Laws(tb, answering(bad), history) }), name)
	}
	good := answering(func(e *events.Event) events.Payload {
		if _, ok := e.Payload.(events.PauseRequested); ok {
			return events.Paused{By: e.Actor}
		}
		return nil
	})
	require.False(t, breaks(t, func(tb testing.TB) { tierstest.Laws(tb, good, history) }))
	require.True(t, breaks(t, func(tb testing.TB) { tierstest.SilentAfterClose(tb, good, history) }))
}
