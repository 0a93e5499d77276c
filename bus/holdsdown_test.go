package bus_test

import (
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/events"
	"manualslop/events/eventstest"
)

// TestNobodyKnowsWhoHoldsWorkWhileTheConnectionIsDown has a server that ends.
func TestNobodyKnowsWhoHoldsWorkWhileTheConnectionIsDown(t *testing.T) {
	t.Parallel()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true,
		StoreDir: t.TempDir(), NoSigs: true, NoLog: true})
	require.NoError(t, err)
	s.Start()
	require.True(t, s.ReadyForConnections(eventstest.Patience))
	c := dial(t, bus.DialConfig{URL: s.ClientURL(), Role: admin})
	held, err := c.Holds(t.Context(), "p1", events.ActorModels, "e1", 1)
	require.NoError(t, err)
	require.False(t, held, "there is no such process")
	held, err = c.Holds(t.Context(), "p1", events.ActorModels, "r1", 1)
	require.NoError(t, err)
	require.True(t, held, "the server may have been started a moment ago, and it may be on its way back")
	s.Shutdown()
	s.WaitForShutdown()
	_, err = c.Holds(t.Context(), "p1", events.ActorModels, "r1", 1)
	require.ErrorIs(t, err, bus.ErrUnavailable)
}

// TestAProcessThatMayBeOnItsWayBackHoldsItsWork looks from inside a server that was
// just started.
func TestAProcessThatMayBeOnItsWayBackHoldsItsWork(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.as(t, worker1)
	held := func(process string) bool {
		held, err := c.Holds(b.ctx, "p1", worker2.Name, process, 1)
		require.NoError(t, err)
		return held
	}
	require.True(t, held("r1"), "another process may have to connect again")
	require.False(t, held("e1"), "one inside the server before ended with it")
	require.Eventually(t, func() bool { return !held("r1") }, eventstest.Patience, 10*time.Millisecond)
}
