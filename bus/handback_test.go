package bus_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
	"manualslop/events/eventstest"
)

// TestCallOfALostWorkerComesBackWithoutWaitingForItsLease has a lease that is
// longer than the test: the lost connection alone tells it.
func TestCallOfALostWorkerComesBackWithoutWaitingForItsLease(t *testing.T) {
	t.Parallel()
	b := setup(t, silentFor(2*eventstest.Patience))
	go func() { _ = b.as(t, bus.Role{Kind: bus.Timers}).HandBack(b.ctx, "p1") }()
	require.Eventually(t, func() bool { return b.srv.Hears("slop.sig.p1.-.somebody.here") }, eventstest.Patience,
		time.Millisecond)
	dying, other := b.as(t, worker1), b.as(t, worker2)
	go func() { _ = dying.Announce(b.ctx, "p1", worker1.Name) }()
	go func() { _ = other.Announce(b.ctx, "p1", worker2.Name) }()
	taken, hang := make(chan struct{}), make(chan struct{})
	defer close(hang)
	go func() {
		_ = dying.Work(b.ctx, toolPool, 1, func(context.Context, events.Delivery) error {
			close(taken)
			<-hang
			return nil
		})
	}()
	written := b.approve(t, b.as(t, approval), 1)
	<-taken
	require.Eventually(t, func() bool {
		held, err := other.Holds(b.ctx, "p1", worker1.Name, dying.Process(), written[0].Seq)
		return err == nil && held
	}, eventstest.Patience, time.Millisecond)
	again := make(chan events.Delivery, 8)
	working(t, b.ctx, other, 1, func(_ context.Context, d events.Delivery) error {
		again <- d
		return nil
	})
	lost := time.Now()
	dying.Close() // a killed process sends nothing more
	d := <-again
	t.Logf("takeover after %s, lease %s", time.Since(lost), bus.Lease)
	require.Equal(t, written[0].ID, d.Event.ID)
	require.Equal(t, 2, d.Deliveries)
	held, err := other.Holds(b.ctx, "p1", worker1.Name, dying.Process(), written[0].Seq)
	require.NoError(t, err)
	require.False(t, held, "it is gone")
}

// TestWorkThatIsDoneIsNotGivenBack gives back what is done, what was never
// handed out and what is under way; only the last one comes again.
func TestWorkThatIsDoneIsNotGivenBack(t *testing.T) {
	t.Parallel()
	b := setup(t, silentFor(2*eventstest.Patience))
	got := make(chan events.Delivery, 8)
	release := make(chan struct{})
	working(t, b.ctx, b.as(t, worker1), 2, func(_ context.Context, d events.Delivery) error {
		got <- d
		if d.Event.Seq == 2 && d.Deliveries == 1 {
			<-release
		}
		return nil
	})
	b.approve(t, b.as(t, approval), 2)
	<-got
	<-got
	timers := b.as(t, bus.Role{Kind: bus.Timers, Project: bustest.Project})
	require.Eventually(t, func() bool {
		state, err := timers.PoolState(b.ctx, toolPool)
		return err == nil && state.Pending == 1
	}, eventstest.Patience, time.Millisecond)
	require.NoError(t, timers.GiveBack(b.ctx, toolPool, []uint64{1, 2, 3}))
	d := <-got
	require.EqualValues(t, 2, d.Event.Seq)
	require.Equal(t, 2, d.Deliveries)
	close(release)
	require.Empty(t, got)
}

// TestRestartHandsOutWhatWasPendingAtOnce stops an embedded bus while a call is
// under way. Its lease is longer than the test.
func TestRestartHandsOutWhatWasPendingAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	open := func() *bench {
		b := setup(t, silentFor(2*eventstest.Patience), func(c *bus.Config) { c.Dir = dir })
		return b
	}
	b := open()
	taken, hang := make(chan struct{}), make(chan struct{})
	defer close(hang)
	go func() {
		_ = b.as(t, worker1).Work(b.ctx, toolPool, 1, func(context.Context, events.Delivery) error {
			close(taken)
			<-hang
			return nil
		})
	}()
	written := b.approve(t, b.as(t, approval), 1)
	<-taken
	require.NoError(t, b.srv.Close())
	b = open()
	again := make(chan events.Delivery, 8)
	working(t, b.ctx, b.as(t, worker2), 1, func(_ context.Context, d events.Delivery) error {
		again <- d
		return nil
	})
	require.Equal(t, written[0].ID, (<-again).Event.ID)
}

// TestWorkOfForeignPoolsIsNotGivenBackForAnInventedProcess has a worker say that a
// process that does not exist holds a call, and the models the same of another one.
func TestWorkOfForeignPoolsIsNotGivenBackForAnInventedProcess(t *testing.T) {
	t.Parallel()
	b := setup(t, silentFor(2*eventstest.Patience))
	go func() { _ = b.as(t, bus.Role{Kind: bus.Timers}).HandBack(b.ctx, "p1") }()
	require.Eventually(t, func() bool { return b.srv.Hears("slop.sig.p1.-.somebody.here") }, eventstest.Patience,
		time.Millisecond)
	got := make(chan events.Delivery, 8)
	hang := make(chan struct{})
	defer close(hang)
	working(t, b.ctx, b.as(t, worker1), 5, func(_ context.Context, d events.Delivery) error {
		got <- d
		<-hang
		return nil
	})
	b.approve(t, b.as(t, approval), 2)
	<-got
	<-got
	invent := func(actor bus.Role, name, process string, seq uint64) {
		body, err := json.Marshal(bus.Held{Process: process, Now: map[string][]uint64{toolPool: {seq}}})
		require.NoError(t, err)
		require.NoError(t, b.as(t, actor).Signal(b.ctx, "p1", "", name, "here", body))
	}
	invent(bus.Role{Kind: bus.Models}, events.ActorModels, "r1", 1)
	for _, process := range []string{"r2", "r3"} {
		invent(worker1, worker1.Name, process, 2) // of its own pool it counts
		require.EqualValues(t, 2, (<-got).Event.Seq, "the models' word counts nothing")
	}
}
