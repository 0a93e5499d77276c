package bus_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/events"
)

type change struct {
	actor string
	here  bool
}

func TestPresenceShowsWhoCameAndWhoWent(t *testing.T) {
	t.Parallel()
	b := setup(t)
	changes := make(chan change, 16)
	go func() {
		_ = b.as(t, bus.Role{Kind: bus.Timers}).Presence(b.ctx, "p1", func(actor string, here bool) { changes <- change{actor, here} })
	}()
	polite, stop := context.WithCancel(b.ctx)
	go func() { _ = b.as(t, worker1).Announce(polite, "p1", "worker-test-1") }()
	require.Equal(t, change{"worker-test-1", true}, <-changes)
	stop()
	require.Equal(t, change{"worker-test-1", false}, <-changes)

	dying := b.as(t, worker2)
	go func() { _ = dying.Announce(b.ctx, "p1", "worker-test-2") }()
	require.Equal(t, change{"worker-test-2", true}, <-changes)
	dying.Close() // a killed process says no good-bye
	require.Equal(t, change{"worker-test-2", false}, <-changes)
}

func TestSignalsAreCheckedAndBounded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.as(t, worker1)
	require.ErrorIs(t, c.Signal(b.ctx, "p1", "s.1", "worker-test-1", "text", nil), events.ErrSubject)
	require.ErrorIs(t, c.Signal(b.ctx, "p1", "s1", "worker-test-1", ">", nil), events.ErrSubject)
	require.ErrorIs(t, c.Signal(b.ctx, "p1", "s1", "worker-test-1", "text", make([]byte, bus.MaxSignal+1)), events.ErrTooLarge)
	require.NoError(t, c.Signal(b.ctx, "p1", "s1", "worker-test-1", "text", make([]byte, bus.MaxSignal)))
	refused(t, c, "slop.sig.p1.s1.worker-test-2.text")
	require.ErrorIs(t, c.Signals(b.ctx, bus.Signal{Project: "*"}, func(bus.Signal) {}), events.ErrSubject)
}

func TestSignalReachesThoseWhoAskForIt(t *testing.T) {
	t.Parallel()
	b := setup(t)
	got := make(chan bus.Signal, 64)
	go func() {
		_ = b.as(t, ada).Signals(b.ctx, bus.Signal{Session: "s1", Name: "text"}, func(s bus.Signal) { got <- s })
	}()
	c := b.as(t, bus.Role{Kind: bus.Models})
	for len(got) == 0 { // until the subscription stands
		require.NoError(t, c.Signal(b.ctx, "p1", "s2", "models", "text", []byte("other session")))
		require.NoError(t, c.Signal(b.ctx, "p1", "s1", "models", "sample", []byte("other name")))
		require.NoError(t, c.Signal(b.ctx, "p1", "s1", "models", "text", []byte("he")))
	}
	require.Equal(t, bus.Signal{Project: "p1", Session: "s1", Actor: "models", Name: "text", Body: []byte("he")}, <-got)
}
