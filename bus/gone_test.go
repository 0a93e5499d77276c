package bus_test

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
	"manualslop/events/eventstest"
)

// TestModelCallsOfProcessesThatEndedComeBackToTheFirstThatJoins has a lease that is
// longer than the test, and nobody who watches processes end.
func TestModelCallsOfProcessesThatEndedComeBackToTheFirstThatJoins(t *testing.T) {
	t.Parallel()
	b := setup(t, silentFor(2*eventstest.Patience))
	models, pool := bus.Role{Kind: bus.Models}, events.PoolName(events.PoolModels, bustest.Project)
	request := func() events.Event {
		e := b.Event(t, events.ActorApproval, events.ModelApproved{Request: "r"})
		_, err := b.as(t, approval).Append(b.ctx, e, nil)
		require.NoError(t, err)
		return e
	}
	hang := make(chan struct{})
	defer close(hang)
	join := func() (*bus.Conn, <-chan events.Delivery) {
		c, taken := b.as(t, models), make(chan events.Delivery, 8)
		go func() {
			_ = c.Work(b.ctx, pool, 2, func(_ context.Context, d events.Delivery) error {
				taken <- d
				<-hang
				return nil
			})
		}()
		return c, taken
	}
	looks := b.as(t, models)
	require.Eventually(t, func() bool { // the server is old enough that nobody is on the way back to it
		gone, err := looks.Gone(b.ctx, bustest.Project, events.ActorModels, "r1")
		return err == nil && gone
	}, eventstest.Patience, 10*time.Millisecond)
	first := request()
	one, taken := join()
	require.Equal(t, first.ID, (<-taken).Event.ID)
	two, takenByTwo := join()
	second, third := request(), request()
	got := []string{}
	for range 2 { // each slot takes one
		select {
		case d := <-taken:
			got = append(got, d.Event.ID)
		case d := <-takenByTwo:
			got = append(got, d.Event.ID)
		}
	}
	require.ElementsMatch(t, []string{second.ID, third.ID}, got, "the first is at work, so the second takes nothing of it")
	one.Close()
	two.Close()
	_, again := join()
	var back []string
	for range 2 {
		d := <-again
		require.Equal(t, 2, d.Deliveries)
		back = append(back, d.Event.ID)
	}
	require.Subset(t, []string{first.ID, second.ID, third.ID}, back)
}

// TestAConnectionThatIsNewAsksHowOldTheServerIs tells a process that ended from one
// that is on its way back to a server that was started a moment ago.
func TestAConnectionThatIsNewAsksHowOldTheServerIs(t *testing.T) {
	t.Parallel()
	b := setup(t, listening)
	keys := t.TempDir()
	require.NoError(t, b.srv.WriteKeys(keys))
	fresh := func() *bus.Conn {
		return dial(t, bus.DialConfig{URL: b.srv.URL(), Creds: keys + "/orchestrator.json", Role: bus.Role{Kind: bus.Models}})
	}
	gone := func(c *bus.Conn, process string) bool {
		gone, err := c.Gone(b.ctx, bustest.Project, events.ActorModels, process)
		require.NoError(t, err)
		return gone
	}
	require.False(t, gone(fresh(), "r1"), "the server has just been started")
	require.True(t, gone(fresh(), "e1"), "it ended with the server before")
	inside := b.as(t, bus.Role{Kind: bus.Models})
	require.Eventually(t, func() bool { return gone(inside, "r1") }, eventstest.Patience, 10*time.Millisecond)
	require.True(t, gone(fresh(), "r1"))
	here := fresh()
	ctx, cancel := context.WithCancel(b.ctx)
	announced := make(chan error, 1)
	go func() { announced <- here.Announce(ctx, bustest.Project, events.ActorModels) }()
	defer func() { cancel(); require.NoError(t, <-announced) }()
	require.Eventually(t, func() bool { return !gone(inside, here.Process()) }, eventstest.Patience, time.Millisecond)
}

// TestNobodyIsGoneJustAfterAConnectionToAForeignServer has a server that does not
// tell its age.
func TestNobodyIsGoneJustAfterAConnectionToAForeignServer(t *testing.T) {
	t.Parallel()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true,
		StoreDir: t.TempDir(), NoSigs: true, NoLog: true})
	require.NoError(t, err)
	s.Start()
	defer s.Shutdown()
	require.True(t, s.ReadyForConnections(eventstest.Patience))
	c := dial(t, bus.DialConfig{URL: s.ClientURL(), Role: admin})
	gone, err := c.Gone(t.Context(), "p1", events.ActorModels, "r1")
	require.NoError(t, err)
	require.False(t, gone)
}

// TestAProcessThatConnectsAgainIsNotGone has the connection of a process outside lost,
// while the server and the one that asks are well. A busy machine may take longer once.
func TestAProcessThatConnectsAgainIsNotGone(t *testing.T) {
	t.Parallel()
	b := setup(t, listening)
	keys := t.TempDir()
	require.NoError(t, b.srv.WriteKeys(keys))
	there := dial(t, bus.DialConfig{URL: b.srv.URL(), Creds: keys + "/orchestrator.json",
		Role: bus.Role{Kind: bus.Models}})
	inside := b.as(t, bus.Role{Kind: bus.Models})
	ctx, cancel := context.WithCancel(b.ctx)
	announced := make(chan error, 1)
	go func() { announced <- there.Announce(ctx, bustest.Project, events.ActorModels) }()
	defer func() { cancel(); <-announced }()
	gone := func(process string) bool {
		gone, err := inside.Gone(b.ctx, bustest.Project, events.ActorModels, process)
		require.NoError(t, err)
		return gone
	}
	require.Eventually(t, func() bool { return gone("r1") }, eventstest.Patience, 10*time.Millisecond,
		"the server is old enough")
	require.Eventually(t, func() bool { return !gone(there.Process()) }, eventstest.Patience, 10*time.Millisecond)
	require.Eventually(t, func() bool {
		links, said := there.Links(), false
		require.NoError(t, b.srv.Drop(there))
		for there.Links() == links {
			said = said || gone(there.Process())
		}
		return !said
	}, eventstest.Patience, time.Millisecond, "it was on its way back")
}
