package runtime_test

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/tiers/runtime"
)

// puttingOff gives the call c1 back again and again, as a program that is too old
// for it does, and acknowledges the first delivery of c2 without doing anything.
type puttingOff struct {
	runtime.Queue
	swallowed chan struct{}
	done      atomic.Bool
}

func (q *puttingOff) Work(ctx context.Context, pool string, slots int, handle func(context.Context,
	events.Delivery) error) error {
	return q.Queue.Work(ctx, pool, slots, func(ctx context.Context, d events.Delivery) error {
		p, _ := d.Event.Payload.(events.ToolApproved)
		if p.Call == "c1" {
			return &events.NotBeforeError{Time: time.Now().Add(time.Second), Reason: "newer"}
		}
		if p.Call == "c2" && !q.done.Swap(true) {
			close(q.swallowed)
			return nil
		}
		return handle(ctx, d)
	})
}

// TestLostRequestBehindOneThatIsHeldIsHandedOutAgain has a request in front of it
// that nobody can carry out.
func TestLostRequestBehindOneThatIsHeldIsHandedOutAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a.txt": "a"})
	w.open(nil)
	w.startWithoutWorker("")
	worker := w.worker("worker-test-1")
	q := &puttingOff{Queue: worker.Queue, swallowed: make(chan struct{})}
	worker.Queue = q
	w.run(worker)
	w.decided(events.ActorApproval, approvedCall("read_file", `{"path":"a.txt"}`))
	require.Eventually(t, func() bool {
		at, err := w.reconciler.Pools.At(t.Context(), events.PoolTools)
		return err == nil && at.Held == 1
	}, eventstest.Patience, time.Millisecond)
	for range 5 {
		require.NoError(t, w.reconciler.Reconcile(t.Context()))
	}
	require.Zero(t, count(w.events(), "RequestReturned"), "it is held")
	second := approvedCall("read_file", `{"path":"a.txt"}`)
	second.Call = "c2"
	w.decided(events.ActorApproval, second)
	<-q.swallowed
	log := w.reconciled("ToolSettled")
	require.Equal(t, "c2", log[len(log)-1].Payload.(events.ToolSettled).Call)
	require.Equal(t, 1, count(log, "RequestReturned"))
}
