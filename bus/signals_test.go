package bus_test

import (
	"context"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/events"
	"manualslop/events/eventstest"
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
		_ = b.as(t, bus.Role{Kind: bus.Timers}).Presence(b.ctx, "p1", func(actor string, here bool) {
			changes <- change{actor,
				here}
		})
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

// TestProcessesAreWatchedWhileAChangeIsReported has a report that takes long, as
// one that waits for the log does. A process that shows itself meanwhile is seen,
// so that it is not taken for silent afterwards.
func TestProcessesAreWatchedWhileAChangeIsReported(t *testing.T) {
	t.Parallel()
	b := setup(t)
	reported, release := make(chan string, 16), make(chan struct{})
	go func() {
		_ = b.as(t, bus.Role{Kind: bus.Gateway}).Presence(b.ctx, "p1", func(actor string, _ bool) {
			reported <- actor
			<-release
		})
	}()
	require.Eventually(t, func() bool { return b.srv.Hears("slop.sig.p1.-.somebody.here") }, eventstest.Patience,
		time.Millisecond)
	show := func(worker bus.Role, asked func(*nats.Msg)) {
		c := b.as(t, worker)
		_, err := c.NATS().Subscribe("slop.here.p1."+worker.Name+"."+c.Process(), asked)
		require.NoError(t, err)
		require.NoError(t, c.NATS().Flush())
		require.NoError(t, c.Signal(b.ctx, "p1", "", worker.Name, "here", []byte(`{"process":"`+c.Process()+`"}`)))
	}
	show(worker1, func(*nats.Msg) {})
	require.Equal(t, worker1.Name, <-reported)
	asked := make(chan struct{}, 64)
	show(worker2, func(*nats.Msg) { asked <- struct{}{} })
	select {
	case <-asked: // it was seen, and was silent then
	case <-b.ctx.Done():
		require.FailNow(t, "nobody watches")
	}
	close(release)
	require.Equal(t, worker2.Name, <-reported)
}

func TestSignalsAreCheckedAndBounded(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.as(t, worker1)
	require.ErrorIs(t, c.Signal(b.ctx, "p1", "s.1", "worker-test-1", "text", nil), events.ErrSubject)
	require.ErrorIs(t, c.Signal(b.ctx, "p1", "s1", "worker-test-1", ">", nil), events.ErrSubject)
	require.ErrorIs(t, c.Signal(b.ctx, "p1", "s1", "worker-test-1", "text", make([]byte, bus.MaxSignal+1)),
		events.ErrTooLarge)
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

// TestASilentProcessIsHereWhileItIsConnected has a process that shows itself
// once and is then too busy to do it again. It is gone with its connection.
func TestASilentProcessIsHereWhileItIsConnected(t *testing.T) {
	t.Parallel()
	b := setup(t)
	changes := make(chan change, 16)
	go func() {
		_ = b.as(t, bus.Role{Kind: bus.Gateway}).Presence(b.ctx, "p1", func(actor string, here bool) {
			changes <- change{actor, here}
		})
	}()
	require.Eventually(t, func() bool { return b.srv.Hears("slop.sig.p1.-.somebody.here") }, eventstest.Patience,
		time.Millisecond)
	busy := b.as(t, worker1)
	asked := make(chan struct{}, 64)
	_, err := busy.NATS().Subscribe("slop.here.p1.worker-test-1."+busy.Process(), func(*nats.Msg) { asked <- struct{}{} })
	require.NoError(t, err)
	require.NoError(t, busy.NATS().Flush())
	require.NoError(t, busy.Signal(b.ctx, "p1", "", "worker-test-1", "here", []byte(`{"process":"`+busy.Process()+`"}`)))
	require.Equal(t, change{"worker-test-1", true}, <-changes)
	for range 5 { // it is asked for and does not answer
		<-asked
	}
	require.Empty(t, changes)
	busy.Close()
	require.Equal(t, change{"worker-test-1", false}, <-changes)
}
