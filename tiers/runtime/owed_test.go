package runtime_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/tiers/runtime"
)

// emptyPools hold nothing.
type emptyPools struct{}

func (emptyPools) At(context.Context, string) (runtime.PoolAt, error) {
	return runtime.PoolAt{Done: 1 << 40, Given: 1 << 40}, nil
}
func (emptyPools) Make(context.Context, string, uint64) error   { return nil }
func (emptyPools) Rewind(context.Context, string, uint64) error { return nil }

// owing is a process that follows a log and compares it with empty pools.
type owing struct {
	t     *testing.T
	log   *eventstest.Memory
	shelf *shelf
	*runtime.Reconciler
	stop func()
}

func (o *owing) start() {
	q := &runtime.Requests{States: runtime.States{Project: project, Actor: events.ActorTimers, Build: "b1",
		Snapshots: o.shelf, Logger: logger()},
		Timers: &runtime.Timers{Log: o.log, Clock: time.Now, Logger: logger()}}
	o.Reconciler = &runtime.Reconciler{Project: project, Requests: q, Pools: emptyPools{}, Log: o.log, Clock: time.Now,
		IDs: newID, Logger: logger()}
	o.stop = engineOn(o.t, readerOf(o.log), q)
}

// keepPage stores which closed sessions owe something, as the end of a process does.
func (o *owing) keepPage() {
	ctx, cancel := context.WithCancel(o.t.Context())
	cancel()
	require.NoError(o.t, o.Run(ctx))
}

func (o *owing) says(session, actor string, p events.Payload) *events.Event {
	o.t.Helper()
	e, err := events.New(events.Origin{ID: newID(), Time: time.Now(), Project: project, Session: session, Actor: actor}, p)
	require.NoError(o.t, err)
	e.Seq, err = o.log.Append(o.t.Context(), e, nil)
	require.NoError(o.t, err)
	return &e
}

// requireReturned compares until a request is handed out again.
func (o *owing) requireReturned(of *events.Event) {
	o.t.Helper()
	require.Eventually(o.t, func() bool {
		require.NoError(o.t, o.Reconcile(o.t.Context()))
		for _, e := range eventstest.All(o.t, o.log, events.Filter{Project: project, Session: of.Session}) {
			events.Catalogue().Decode(&e)
			if p, ok := e.Payload.(events.RequestReturned); ok && p.Request == of.ID {
				return true
			}
		}
		return false
	}, eventstest.Patience, time.Millisecond)
}

func undoCall() events.ToolApproved {
	undo := approvedCall(events.RestoreTool, `{}`)
	undo.Call = "undo"
	return undo
}

func newOwing(t *testing.T) *owing {
	o := &owing{t: t, log: eventstest.NewMemory(), shelf: &shelf{}}
	t.Cleanup(o.log.Close)
	return o
}

// TestUndoBehindTheEndIsHandedOutAgainAfterAnEarlierReturn has a session whose
// earlier call was handed out again before its end, and a request of another one
// behind the undo.
func TestUndoBehindTheEndIsHandedOutAgainAfterAnEarlierReturn(t *testing.T) {
	t.Parallel()
	o := newOwing(t)
	o.says("S1", person, events.SessionOpened{})
	o.says("S2", person, events.SessionOpened{})
	o.start()
	call := approvedCall("read_file", `{"path":"a.txt"}`)
	o.requireReturned(o.says("S1", events.ActorApproval, call))
	o.says("S1", "worker-1-1", events.ToolSettled{Call: call.Call, Tool: call.Tool, Generation: 1,
		Outcome: events.ToolDone})
	o.says("S1", person, events.SessionClosed{Reason: "over"})
	o.requireReturned(o.says("S1", events.ActorApproval, undoCall()))
	call.Call = "c9"
	o.requireReturned(o.says("S2", events.ActorApproval, call))
}

// TestUndoInASessionThatWasOverBeforeTheStartIsHandedOutAgain has the call come
// while the process runs, and behind the page of one that was killed.
func TestUndoInASessionThatWasOverBeforeTheStartIsHandedOutAgain(t *testing.T) {
	t.Parallel()
	for name, killed := range map[string]bool{"while it runs": false, "before a kill": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOwing(t)
			o.says("S1", person, events.SessionOpened{})
			o.says("S1", person, events.SessionClosed{Reason: "over"})
			o.start()
			o.requireReturned(o.callBeside())
			o.keepPage()
			o.stop()
			if killed {
				undo := o.says("S1", events.ActorApproval, undoCall())
				o.start()
				o.requireReturned(undo)
				return
			}
			o.start()
			o.requireReturned(o.callBeside())
			o.requireReturned(o.says("S1", events.ActorApproval, undoCall()))
		})
	}
}

// callBeside is a request of another session, so that whoever hands it out again
// has begun.
func (o *owing) callBeside() *events.Event {
	o.says("S2", person, events.SessionOpened{})
	call := approvedCall("read_file", `{"path":"a.txt"}`)
	call.Call = newID()
	return o.says("S2", events.ActorApproval, call)
}
