package runtime_test

import (
	"context"
	"encoding/json"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/tiers"
	"manualslop/tiers/approval"
	"manualslop/tiers/runtime"
)

func TestAnUndoInALongClosedSessionLeavesNoSnapshot(t *testing.T) {
	t.Parallel()
	log, shelf := eventstest.NewMemory(), &shelf{}
	say1(t, log, session, events.SessionOpened{})
	for range 30 {
		say1(t, log, session, events.GoalSubmitted{Goal: "g"})
	}
	say1(t, log, session, events.SessionClosed{Reason: "by hand"})
	crew := &runtime.Orchestrator{Project: project, Build: "b1", SnapshotEvery: 10, Logger: logger(),
		Roles: []runtime.Role{{Start: func() *tiers.Machine { return approval.Decider().Start() }, Log: log,
			Snapshots: shelf}}}
	undo := say1(t, log, session, events.UndoRequested{Call: "nothing"})
	for e, err := range log.Read(t.Context(), events.Filter{Project: project, Session: session, Type: "UndoRequested"}, 1,
		0) {
		require.NoError(t, err)
		events.Catalogue().Decode(&e)
		crew.Late(t.Context(), &e)
	}
	eventstest.ExpectWhere(t, log, events.Filter{Project: project, Session: session}, "its answer",
		func(e events.Event) bool { return e.Cause == undo })
	require.NotContains(t, shelf.keys(), "states."+project+"."+session+"."+events.ActorApproval)
}

// stuckLog refuses what approval says while it is stuck.
type stuckLog struct {
	events.Log
	stuck atomic.Bool
	tried chan struct{} // gets a word where something was refused
}

func (l *stuckLog) Append(ctx context.Context, e events.Event, x *events.Expect) (uint64, error) {
	if e.Actor == events.ActorApproval && l.stuck.Load() {
		select {
		case l.tried <- struct{}{}:
		default:
		}
		return 0, errors.New("out of reach")
	}
	return l.Log.Append(ctx, e, x)
}

func TestAQuestionBehindTheCloseWhoseAnswerAStopPreventedIsAnsweredByTheNextStart(t *testing.T) {
	t.Parallel()
	log := &stuckLog{Log: eventstest.NewMemory(), tried: make(chan struct{}, 1)}
	shelf := &shelf{}
	start := func() (stop func()) {
		crew := &runtime.Orchestrator{Project: project, Build: "b1", Logger: logger(),
			Roles: []runtime.Role{{Start: func() *tiers.Machine { return approval.Decider().Start() }, Log: log,
				Snapshots: shelf}}}
		reader := readerOf(log)
		reader.Subscribe(crew)
		ctx, cancel := context.WithCancel(context.Background())
		var wg sync.WaitGroup
		wg.Go(func() { _ = crew.Run(ctx, reader) })
		stop = sync.OnceFunc(func() { cancel(); wg.Wait(); crew.Wait() })
		t.Cleanup(stop)
		return stop
	}
	answer := func(request string) {
		t.Helper()
		eventstest.ExpectWhere(t, log, events.Filter{Project: project, Session: session}, "the answer",
			func(e events.Event) bool { return e.Type == "AskSettled" && e.Cause == request })
	}
	say1(t, log, session, events.SessionOpened{})
	stop := start()
	say1(t, log, session, events.SessionClosed{Reason: "by hand"})
	answer(say1(t, log, session, events.AskPosted{RequestID: "r-1", Data: json.RawMessage(`{}`), TimeoutMS: 1000}))
	log.stuck.Store(true)
	lost := say1(t, log, session, events.AskPosted{RequestID: "r-2", Data: json.RawMessage(`{}`), TimeoutMS: 1000})
	<-log.tried
	stop()
	log.stuck.Store(false)
	start()
	answer(lost)
}
