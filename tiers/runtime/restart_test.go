package runtime_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/events"
)

// facts are the decided facts of a session by actor, as type and ordinal.
func facts(log []events.Event) map[string][]string {
	out := map[string][]string{}
	for _, e := range log {
		if events.IsDecider(e.Actor) {
			out[e.Actor] = append(out[e.Actor], fmt.Sprintf("%d %s", e.N, e.Type))
		}
	}
	return out
}

// requireWhole checks that every decider's facts are there once and without a gap.
func requireWhole(t *testing.T, log []events.Event) {
	t.Helper()
	next, seen := map[string]uint64{}, map[string]bool{}
	for _, e := range log {
		require.False(t, seen[e.ID], "event %s is on the log twice", e.ID)
		seen[e.ID] = true
		if events.IsDecider(e.Actor) || events.IsWorker(e.Actor) {
			next[e.Actor]++
			require.Equal(t, next[e.Actor], e.N, "%s skipped or repeated an ordinal at %s", e.Actor, e.Type)
		}
	}
}

func TestARestartAfterAnyEventLeadsToTheSameEnd(t *testing.T) {
	t.Parallel()
	for at := 4; at <= 40; at += 4 {
		t.Run(fmt.Sprintf("after %d", at), func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, map[string]string{"a.txt": "hello\n"})
			w.open(nil)
			w.yesToAll()
			stop := w.startWithoutWorker(writes)
			w.runWorker("worker-test-1")
			w.say(events.GoalSubmitted{Goal: "greet"})
			count := 0
			w.until(func(*events.Event) bool { count++; return count == at })
			stop()
			w.startWithoutWorker(writes)
			log := w.until(isType("GoalCompleted"))
			requireWhole(t, log)
		})
	}
}

func TestTwoProcessesOfTheSameDecidersRecordEachFactOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a.txt": "hello\n"})
	w.open(nil)
	w.yesToAll()
	w.startWithoutWorker(writes)
	w.startWithoutWorker(writes)
	w.runWorker("worker-test-1")
	w.runWorker("worker-test-2")
	w.say(events.GoalSubmitted{Goal: "greet"})
	requireWhole(t, w.until(isType("GoalCompleted")))
}

func TestAnEventFromANewerProgramStallsTheSessionWithTheReason(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.open(nil)
	w.startWithoutWorker(writes)
	e := events.Event{ID: newID(), Type: "FutureThing", V: 1, Time: time.Now(), Project: project, Session: session,
		Actor: person, Topic: "-", Data: json.RawMessage(`{}`)}
	_, err := w.person.Append(context.Background(), e, nil)
	require.NoError(t, err)
	stalled := map[string]bool{}
	w.until(func(e *events.Event) bool {
		if p, ok := e.Payload.(events.SessionStalled); ok {
			require.Contains(t, p.Reason, "FutureThing")
			stalled[p.Decider] = true
		}
		return len(stalled) == len(events.Deciders())
	})
}

func TestARecordThatContradictsADeciderStallsItAndIsNotContinued(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.open(nil)
	forged, err := events.New(events.Origin{ID: newID(), Time: time.Now(), Project: project, Session: session,
		Actor: events.ActorConductor, N: 1},
		events.TicketCompleted{Ticket: "T-1"})
	require.NoError(t, err)
	conductor := w.connect(bus.Role{Kind: bus.Decider, Name: events.ActorConductor})
	_, err = conductor.Append(context.Background(), forged, nil)
	require.NoError(t, err)
	w.startWithoutWorker(writes)
	w.runWorker("worker-test-1")
	w.say(events.GoalSubmitted{Goal: "g"})
	log := w.until(isType("SessionStalled"))
	p, ok := log[len(log)-1].Payload.(events.SessionStalled)
	require.True(t, ok)
	require.Equal(t, events.ActorConductor, p.Decider)
	require.Contains(t, p.Reason, "differs")
}

func TestAPostedQuestionExpiresAsANo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.open(nil)
	w.startWithoutWorker(writes)
	w.say(events.AskPosted{RequestID: "r-1", Data: json.RawMessage(`{}`), BodySHA256: "ab", TimeoutMS: 30})
	log := w.until(isType("AskSettled"))
	p, ok := log[len(log)-1].Payload.(events.AskSettled)
	require.True(t, ok)
	require.Equal(t, events.Expired, p.Outcome)
	require.NotEmpty(t, facts(log)[events.ActorApproval])
}

func TestWhatNobodyCanReadInADecidersSubtreeStallsNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a.txt": "hello\n"})
	w.open(nil)
	w.yesToAll()
	w.startWithoutWorker(writes)
	stock, err := w.server.Stock(bus.Role{Kind: bus.Reader})
	require.NoError(t, err)
	defer stock.Close()
	// The server publishes its answer where the request says.
	require.NoError(t, stock.PublishRequest("$JS.API.STREAM.INFO.SLOP_EV", events.Subject(project, session,
		events.ActorApproval, "ToolApproved", "edit_file"), nil))
	require.NoError(t, stock.Flush())
	w.until(func(e *events.Event) bool { return e.Actor == events.ActorApproval })
	w.runWorker("worker-test-1")
	w.say(events.GoalSubmitted{Goal: "greet"})
	log := w.until(isType("GoalCompleted"))
	for _, e := range log {
		require.NotEqual(t, "SessionStalled", e.Type, "%s", e.Data)
	}
}
