package bus_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
	"manualslop/events/eventstest"
)

// working runs Work in the background and checks its end with the test's.
func working(t *testing.T, ctx context.Context, c *bus.Conn, slots int, handle func(context.Context,
	events.Delivery) error) (stop func()) {
	t.Helper()
	return workingOn(t, ctx, c, toolPool, slots, handle)
}

func workingOn(t *testing.T, ctx context.Context, c *bus.Conn, pool string, slots int, handle func(context.Context,
	events.Delivery) error) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(ctx)
	done := make(chan error, 1)
	go func() { done <- c.Work(ctx, pool, slots, handle) }()
	stop = sync.OnceFunc(func() {
		cancel()
		require.NoError(t, <-done)
	})
	t.Cleanup(stop)
	return stop
}

// silentFor lets a worker be silent for so long before its work is handed out
// again.
func silentFor(d time.Duration) func(*bus.Config) {
	return func(c *bus.Config) {
		c.Pools = bus.Pools(bustest.Project)
		for i := range c.Pools {
			c.Pools[i].AckWait = d
		}
	}
}

func TestEachCallIsHandledOnceByOneOfManyWorkers(t *testing.T) {
	t.Parallel()
	b := setup(t, silentFor(eventstest.Patience))
	const calls = 200
	seen := make(chan string, 2*calls)
	for _, r := range []bus.Role{worker1, worker2} {
		working(t, b.ctx, b.as(t, r), 4, func(_ context.Context, d events.Delivery) error {
			seen <- d.Event.ID
			return nil
		})
	}
	written := b.approve(t, b.as(t, approval), calls)
	got := map[string]int{}
	for range written {
		got[<-seen]++
	}
	for _, e := range written {
		require.Equal(t, 1, got[e.ID])
	}
	require.Empty(t, seen)
}

func TestNoMoreIsTakenThanThereAreSlots(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var now, most atomic.Int64
	left := make(chan struct{}, 20)
	release := make(chan struct{})
	working(t, b.ctx, b.as(t, worker1), 3, func(context.Context, events.Delivery) error {
		n := now.Add(1)
		for old := most.Load(); n > old && !most.CompareAndSwap(old, n); old = most.Load() {
		}
		<-release
		now.Add(-1)
		left <- struct{}{}
		return nil
	})
	b.approve(t, b.as(t, approval), 20)
	for range 20 {
		release <- struct{}{}
	}
	for range 20 {
		<-left
	}
	require.LessOrEqual(t, most.Load(), int64(3))
}

func TestLongCallIsNotHandedOutTwice(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var count atomic.Int64
	done := make(chan struct{}, 8)
	for _, r := range []bus.Role{worker1, worker2} {
		working(t, b.ctx, b.as(t, r), 1, func(context.Context, events.Delivery) error {
			count.Add(1)
			timer := time.NewTimer(2 * bus.Lease)
			defer timer.Stop()
			<-timer.C
			done <- struct{}{}
			return nil
		})
	}
	b.approve(t, b.as(t, approval), 1)
	<-done
	require.Equal(t, int64(1), count.Load())
}

func TestCallOfADeadWorkerComesBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	dying := b.as(t, worker1)
	taken := make(chan struct{})
	hang := make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		ended <- dying.Work(b.ctx, toolPool, 1, func(context.Context, events.Delivery) error {
			dying.Close() // a killed process sends nothing more
			close(taken)
			<-hang
			return nil
		})
	}()
	written := b.approve(t, b.as(t, approval), 1)
	<-taken
	again := make(chan events.Delivery, 8)
	working(t, b.ctx, b.as(t, worker2), 1, func(_ context.Context, d events.Delivery) error {
		again <- d
		return nil
	})
	d := <-again
	require.Equal(t, written[0].ID, d.Event.ID)
	require.Greater(t, d.Deliveries, 1)
	require.Equal(t, 2, d.Deliveries)
	close(hang)
	require.ErrorIs(t, <-ended, events.ErrClosed)
}

func TestFailedCallIsHandedOutAgainAfterAPause(t *testing.T) {
	t.Parallel()
	b := setup(t, silentFor(eventstest.Patience))
	var tries []time.Time
	done := make(chan struct{})
	working(t, b.ctx, b.as(t, worker1), 1, func(_ context.Context, d events.Delivery) error {
		tries = append(tries, time.Now())
		if d.Deliveries < 3 {
			return errors.New("not yet")
		}
		close(done)
		return nil
	})
	b.approve(t, b.as(t, approval), 1)
	<-done
	require.Len(t, tries, 3)
	require.GreaterOrEqual(t, tries[1].Sub(tries[0]), 100*time.Millisecond)
	require.GreaterOrEqual(t, tries[2].Sub(tries[1]), 200*time.Millisecond)
}

func TestLeavingWorkerGivesItsCallBack(t *testing.T) {
	t.Parallel()
	b := setup(t)
	taken := make(chan struct{})
	stop := working(t, b.ctx, b.as(t, worker1), 1, func(ctx context.Context, _ events.Delivery) error {
		close(taken)
		<-ctx.Done()
		return ctx.Err()
	})
	b.approve(t, b.as(t, approval), 1)
	<-taken
	again := make(chan struct{})
	stop()
	working(t, b.ctx, b.as(t, worker2), 1, func(context.Context, events.Delivery) error {
		close(again)
		return nil
	})
	<-again
}

func TestOtherEventsAreNoWork(t *testing.T) {
	t.Parallel()
	b := setup(t)
	log := bustest.Connect(t, b.srv, admin)
	for _, p := range []struct {
		actor string
		p     events.Payload
	}{
		{events.ActorConductor, events.TicketReady{Ticket: "T"}}, {"ada", events.ToolApproved{Call: "forged"}},
		{"worker-x-1", events.ContextRequested{}}, {events.ActorApproval, events.ToolDenied{Call: "c"}},
		{events.ActorLead, events.ContextRequested{Tier: 2}},
	} {
		_, err := log.Append(b.ctx, b.Event(t, p.actor, p.p), nil)
		require.NoError(t, err)
	}
	got := make(chan events.Delivery, 8)
	workingOn(t, b.ctx, b.as(t, worker1), events.PoolName(events.PoolShort, bustest.Project), 1, func(_ context.Context,
		d events.Delivery) error {
		got <- d
		return nil
	})
	first := <-got
	require.Equal(t, "ContextRequested", first.Event.Type)
	require.Equal(t, events.ActorLead, first.Event.Actor)
}

func TestMissingPoolIsWaitedFor(t *testing.T) {
	t.Parallel()
	b := setup(t)
	c := b.as(t, admin)
	nothing := func(context.Context, events.Delivery) error { return nil }
	done := make(chan struct{})
	workingOn(t, b.ctx, c, "gpu", 1, func(context.Context, events.Delivery) error {
		close(done)
		return nil
	})
	require.ErrorIs(t, c.Work(b.ctx, toolPool, 0, nothing), bus.ErrConfig)
	require.ErrorIs(t, c.EnsurePool(b.ctx, bus.Pool{Name: "gpu"}), events.ErrNoPool)
	gpu := bus.Pool{Name: "gpu", Filters: []events.Filter{{Actor: events.ActorApproval, Type: "ToolApproved",
		Topic: "render"}}}
	require.NoError(t, c.EnsurePool(b.ctx, gpu))
	require.NoError(t, c.EnsurePool(b.ctx, gpu), "as often as one likes")
	_, err := b.as(t, approval).Append(b.ctx, b.Event(t, events.ActorApproval, events.ToolApproved{Call: "c",
		Tool: "render"}), nil)
	require.NoError(t, err)
	<-done
}

func TestWorkThatIsStoppedWhileItLooksForItsPoolEndsWithoutAnError(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, stop := context.WithCancel(b.ctx)
	stop()
	require.NoError(t, b.as(t, worker1).Work(ctx, toolPool, 1,
		func(context.Context, events.Delivery) error { return nil }))
}

func TestWorkThatIsStoppedForAReasonEndsWithoutAnError(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx, stop := context.WithCancelCause(b.ctx)
	b.approve(t, b.as(t, approval), 1)
	require.NoError(t, b.as(t, worker1).Work(ctx, toolPool, 1, func(context.Context, events.Delivery) error {
		stop(errors.New("not needed any more"))
		return nil
	}))
}

func TestWorkKeepsFlowing(t *testing.T) {
	t.Parallel()
	b := setup(t)
	const calls = 3000
	done := make(chan struct{}, calls)
	for _, r := range []bus.Role{worker1, worker2} {
		working(t, b.ctx, b.as(t, r), 2, func(context.Context, events.Delivery) error {
			done <- struct{}{}
			return nil
		})
	}
	log := b.as(t, approval)
	var gap longest
	for range calls {
		b.approve(t, log, 1)
		start := time.Now()
		<-done
		gap.see(time.Since(start))
	}
	t.Logf("longest wait for one of %d calls: %s", calls, gap.value())
}

// TestPostponedWorkHoldsNoSlot has one slot, which is free until the time that
// the handler names.
func TestPostponedWorkHoldsNoSlot(t *testing.T) {
	t.Parallel()
	b := setup(t, silentFor(eventstest.Patience))
	log := b.as(t, approval)
	var due time.Time
	order := make(chan string, 8)
	working(t, b.ctx, b.as(t, worker1), 1, func(_ context.Context, d events.Delivery) error {
		if d.Deliveries == 1 && due.IsZero() {
			due = time.Now().Add(300 * time.Millisecond)
			return fmt.Errorf("busy model: %w", &events.NotBeforeError{Time: due})
		}
		order <- d.Event.ID
		return nil
	})
	written := b.approve(t, log, 2)
	require.Equal(t, written[1].ID, <-order, "the slot is free meanwhile")
	require.Equal(t, written[0].ID, <-order)
	require.False(t, time.Now().Before(due))
}

// TestNoNumberOfRefusalsEndsARequest refuses a call more often than any limit
// of deliveries was.
func TestNoNumberOfRefusalsEndsARequest(t *testing.T) {
	t.Parallel()
	b := setup(t, silentFor(eventstest.Patience))
	const refusals = 30
	done := make(chan int, 1)
	working(t, b.ctx, b.as(t, worker1), 1, func(_ context.Context, d events.Delivery) error {
		if d.Deliveries <= refusals {
			return &events.NotBeforeError{}
		}
		done <- d.Deliveries
		return nil
	})
	b.approve(t, b.as(t, approval), 1)
	require.Equal(t, refusals+1, <-done)
}
