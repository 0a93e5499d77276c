package runtime_test

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/tiers/runtime"
)

// swallowing is a queue whose first delivery of a type is acknowledged although
// nobody did anything, as by a program that does not know the type.
type swallowing struct {
	runtime.Queue
	typ  string
	done atomic.Bool
}

func (q *swallowing) Work(ctx context.Context, pool string, slots int, handle func(context.Context,
	events.Delivery) error) error {
	return q.Queue.Work(ctx, pool, slots, func(ctx context.Context, d events.Delivery) error {
		if d.Event.Type == q.typ && !q.done.Swap(true) {
			return nil
		}
		return handle(ctx, d)
	})
}

// reconciled reconciles until an event of a type comes.
func (w *world) reconciled(typ string) []events.Event {
	w.t.Helper()
	ctx, cancel := context.WithCancel(w.t.Context())
	defer cancel()
	go func() {
		for ctx.Err() == nil {
			_ = w.reconciler.Reconcile(ctx)
		}
	}()
	return w.until(isType(typ))
}

// count is how many events of a type there are.
func count(log []events.Event, typ string) (n int) {
	for _, e := range log {
		if e.Type == typ {
			n++
		}
	}
	return n
}

func TestRequestThatNoPoolHoldsIsHandedOutAgain(t *testing.T) {
	t.Parallel()
	for target, models := range map[string]bool{"ToolApproved": false, "ContextRequested": false, "ModelRequested": true} {
		t.Run(target, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]string{"a.txt": "hello\n"})
			w.open(nil)
			w.yesToAll()
			worker := w.worker("worker-test-1")
			if models {
				w.onModels = func(m *runtime.Models) { m.Queue = &swallowing{Queue: m.Queue, typ: target} }
			} else {
				worker.Queue = &swallowing{Queue: worker.Queue, typ: target}
			}
			w.startWithoutWorker(writes)
			w.run(worker)
			w.say(events.GoalSubmitted{Goal: "greet"})
			log := w.reconciled("GoalCompleted")
			require.Equal(t, 1, count(log, "RequestReturned"))
			requireWhole(t, log)
			requireOneOutcomeEach(t, log)
		})
	}
}

// requireOneOutcomeEach checks that no request that changes something was answered twice.
func requireOneOutcomeEach(t *testing.T, log []events.Event) {
	t.Helper()
	seen := map[string]bool{}
	for _, e := range log {
		switch e.Payload.(type) {
		case events.ToolSettled, events.ModelReplied, events.MergeSettled:
			_, answers := askedFor(e)
			require.False(t, seen[answers], "%s was answered twice", answers)
			seen[answers] = true
		}
	}
}

// TestPoolThatIsDeletedUnderARunningScriptIsMadeAgain deletes a pool three times.
// The script runs once, and what is asked for behind it is done.
func TestPoolThatIsDeletedUnderARunningScriptIsMadeAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a.txt": "hello\n"})
	w.open(nil)
	w.startWithoutWorker("")
	w.runWorker("worker-test-1")
	script := approvedCall("run_powershell", `{"script":"echo run >> runs.log; while [ ! -e go ]; do sleep 0.02; done"}`)
	script.TimeoutMS = 60_000
	w.decided(events.ActorApproval, script)
	w.awaitFile("runs.log")
	for i := range 3 {
		bustest.DropPool(t, w.server, events.PoolName(events.PoolTools, project))
		call := approvedCall("read_file", `{"path":"a.txt"}`)
		call.Call = fmt.Sprint("read-", i)
		w.decided(events.ActorApproval, call)
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			for ctx.Err() == nil {
				_ = w.reconciler.Reconcile(ctx)
			}
		}()
		w.until(func(e *events.Event) bool {
			p, ok := e.Payload.(events.ToolSettled)
			return ok && p.Call == call.Call
		})
		cancel()
	}
	w.write("go", "")
	log := w.until(func(e *events.Event) bool {
		p, ok := e.Payload.(events.ToolSettled)
		return ok && p.Call == script.Call
	})
	require.Equal(t, events.ToolDone, log[len(log)-1].Payload.(events.ToolSettled).Outcome)
	require.Equal(t, "run\n", w.content("runs.log"))
	requireOneOutcomeEach(t, log)
}

// TestTwoReconcilersHandOutOnce has two processes compare at the same time.
func TestTwoReconcilersHandOutOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a.txt": "hello\n"})
	w.open(nil)
	w.startWithoutWorker("")
	first := w.reconciler
	w.startWithoutWorker("")
	second := w.reconciler
	worker := w.worker("worker-test-1")
	handled := make(chan struct{}, 10)
	swallow := swallowAll{worker.Queue, handled}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { _ = swallow.Work(ctx, events.PoolName(events.PoolTools, project), 1, nil) }()
	w.decided(events.ActorApproval, approvedCall("read_file", `{"path":"a.txt"}`))
	<-handled
	for _, r := range []*runtime.Reconciler{first, second, first, second} {
		go func() {
			for ctx.Err() == nil {
				_ = r.Reconcile(ctx)
			}
		}()
	}
	<-handled // again
	w.decided(events.ActorApproval, events.ToolApproved{Call: "c2", Tool: "read_file", Generation: 1})
	<-handled
	returned := map[string]int{}
	for _, e := range w.events() {
		if p, ok := e.Payload.(events.RequestReturned); ok {
			returned[p.Key]++
		}
	}
	require.Equal(t, 1, returned["call c1"], "within its rest a request is handed out again once, by one of them")
}

// swallowAll acknowledges everything.
type swallowAll struct {
	runtime.Queue
	handled chan struct{}
}

func (q swallowAll) Work(ctx context.Context, pool string, slots int, _ func(context.Context,
	events.Delivery) error) error {
	return q.Queue.Work(ctx, pool, slots, func(context.Context, events.Delivery) error {
		q.handled <- struct{}{}
		return nil
	})
}

// events are all events of the session so far.
func (w *world) events() (out []events.Event) {
	w.t.Helper()
	registry := events.Catalogue()
	for e, err := range w.person.Read(w.t.Context(), events.Filter{Project: project, Session: session}, 1, 0) {
		require.NoError(w.t, err)
		registry.Decode(&e)
		out = append(out, e)
	}
	return out
}

// TestWorkThatIsHeldIsNotHandedOutAgain compares again and again while requests
// come and go.
func TestWorkThatIsHeldIsNotHandedOutAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a.txt": "hello\n"})
	w.open(nil)
	w.yesToAll()
	w.start(writes)
	w.say(events.GoalSubmitted{Goal: "greet"})
	log := w.reconciled("GoalCompleted")
	require.Zero(t, count(log, "RequestReturned"))
}

// TestRequestOfASessionThatWasClosedMeanwhileIsAnsweredAtTheStart has a pool that
// is done with a call that has no outcome, and a session that ends while no
// engine runs.
func TestRequestOfASessionThatWasClosedMeanwhileIsAnsweredAtTheStart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a.txt": "hello\n"})
	w.open(nil)
	worker := w.worker("worker-test-1")
	handled := make(chan struct{}, 10)
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan struct{})
	go func() {
		_ = swallowAll{worker.Queue, handled}.Work(ctx, events.PoolName(events.PoolTools, project), 1, nil)
		close(gone)
	}()
	w.decided(events.ActorApproval, approvedCall("read_file", `{"path":"a.txt"}`))
	<-handled
	require.Eventually(t, func() bool {
		at, err := poolsOf{w.connect(bus.Role{Kind: bus.Timers})}.At(t.Context(), events.PoolTools)
		return err == nil && at.Done > 0
	}, eventstest.Patience, time.Millisecond)
	cancel()
	<-gone
	w.say(events.SessionClosed{Reason: "over"})
	w.startWithoutWorker("")
	w.runWorker("worker-test-2")
	log := w.reconciled("ToolSettled")
	require.True(t, strings.Contains(log[len(log)-1].Payload.(events.ToolSettled).Text, "closed"))
}

func TestGuardedModelCallOfASessionThatEndsIsCancelled(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.open(nil)
	w.startWithoutWorker("")
	asked := w.decided(events.ActorContributor, events.ModelRequested{StreamID: "s", Ticket: "T-1", Tier: 3, Attempt: 1,
		Provider: "script", Model: "small", Guarded: true})
	require.Eventually(t, func() bool {
		at, err := w.reconciler.Pools.At(t.Context(), events.PoolModels)
		return err == nil && at.Done >= asked.Seq
	}, eventstest.Patience, time.Millisecond)
	w.say(events.SessionClosed{Reason: "over"})
	log := w.reconciled("ModelFailed")
	require.Equal(t, events.ModelCancelled, log[len(log)-1].Payload.(events.ModelFailed).Kind)
}

// TestRequestThatComesToNothingIsHandedOutLessAndLessOften has a program that
// acknowledges a request each time, and a clock that jumps.
func TestRequestThatComesToNothingIsHandedOutLessAndLessOften(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.open(nil)
	clock := &frozen{at: time.Now()}
	w.reconcilerClock = clock.now
	w.startWithoutWorker("")
	r := w.reconciler
	handled := make(chan struct{}, 10)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() {
		_ = swallowAll{w.worker("worker-test-1").Queue, handled}.Work(ctx, events.PoolName(events.PoolTools, project), 1, nil)
	}()
	w.decided(events.ActorApproval, approvedCall("read_file", `{"path":"a.txt"}`))
	for n, rest := range []time.Duration{0, 10 * time.Second, 20 * time.Second, 40 * time.Second} {
		<-handled
		if n > 0 {
			clock.set(clock.now().Add(rest - time.Millisecond))
			require.NoError(t, r.Reconcile(ctx))
			require.Equal(t, n, count(w.events(), "RequestReturned"), "before its time")
			clock.set(clock.now().Add(time.Millisecond))
		}
		require.Eventually(t, func() bool {
			return r.Reconcile(ctx) == nil && count(w.events(), "RequestReturned") == n+1
		}, eventstest.Patience, time.Millisecond)
	}
}
