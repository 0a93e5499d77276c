package projections_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
)

// spawns asks for a worker and has him added; it returns his ticket.
func (s *story) spawns(x events.WorkerSpawnRequested) string {
	s.t.Helper()
	request := s.by("ada", x)
	ticket := events.WorkerTicket(request)
	s.by(events.ActorConductor, events.TicketsAdded{Request: request, RequestID: x.RequestID,
		Track: events.Track{ID: events.WorkerTrack(ticket), Title: "Mend it"}, Tickets: []events.Ticket{x.Ticket(ticket)}})
	return ticket
}

func (s *story) starts(ticket string, attempt int) {
	s.t.Helper()
	s.by(events.ActorConductor, events.SpawnRequested{Ticket: ticket, Attempt: attempt, Model: "m3", Prompt: "Mend it"})
	s.by(events.ActorConductor, events.TicketStarted{Track: events.WorkerTrack(ticket), Ticket: events.Ticket{ID: ticket},
		Attempt: attempt, Model: "m3", Prompt: "Mend it"})
}

func (s *story) only() *projections.Worker {
	s.t.Helper()
	w := s.set.Workers()
	require.Len(s.t, w.Active, 1)
	return w.Active[0]
}

func TestAWorkerShowsWhatItIsAt(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	ticket := s.spawns(events.WorkerSpawnRequested{Prompt: "Mend it\nwell"})
	require.Equal(t, []string{"waiting", "slot", "Mend it…", ticket}, []string{s.only().Status, s.only().WaitsFor,
		s.only().Task, s.only().UID})
	s.starts(ticket, 1)
	request := s.asks(ticket, 3)
	require.Equal(t, []string{"running", "model", request}, []string{s.only().Status, s.only().WaitsFor, s.only().Request})
	s.replies(request, "I will.", "edit_file")
	approved := s.approved(events.CallID(request, 0), "edit_file", ticket)
	require.NotEmpty(t, approved)
	require.Equal(t, "tool", s.only().WaitsFor)
	require.Equal(t, "running", s.only().Calls[0].Status)
	steps := s.only().Trace
	require.Equal(t, steps[len(steps)-1].At, s.only().Calls[0].Since, "it runs since it was approved")
	s.by(events.ActorApproval, events.AskRaised{Ask: "K1", Gate: events.GateTool, Title: "edit_file", Ticket: ticket})
	require.Equal(t, "person", s.only().WaitsFor)
	s.by(events.ActorApproval, events.AskSettled{Ask: "K1", Gate: events.GateTool, Outcome: events.Yes})
	s.by("worker-h-1", outcome(events.CallID(request, 0), "edit_file", "done"))
	w := s.only()
	require.Empty(t, w.Asks)
	require.Empty(t, w.Calls)
	require.Equal(t, "I will.\n", w.TextTail)
	require.Equal(t, int64(10), w.Usage.Input)
	require.Equal(t, "contributor", w.Role)
	require.NotNil(t, w.StartedAt)
	s.by(events.ActorConductor, events.TicketCompleted{Ticket: ticket})
	all := s.set.Workers()
	require.Empty(t, all.Active)
	require.Equal(t, "completed", all.Finished[0].Status)
	require.NotNil(t, all.Finished[0].EndedAt)
}

func TestAnotherAttemptBeginsWithoutTheTextOfTheLast(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	ticket := s.spawns(events.WorkerSpawnRequested{Prompt: "Mend it"})
	s.starts(ticket, 1)
	late := s.asks(ticket, 3)
	s.by(events.ActorConductor, events.TicketKilled{Ticket: ticket, Attempt: 1, By: "ada"})
	s.by(events.ActorConductor, events.TicketBlocked{Ticket: ticket, Kind: events.BlockKilled, Reason: "killed by ada"})
	require.Equal(t, "killed", s.set.Workers().Finished[0].Status)
	s.by(events.ActorConductor, events.TicketRetried{Ticket: ticket, RetryCount: 1})
	require.Equal(t, "waiting", s.only().Status)
	s.starts(ticket, 2)
	s.replies(late, "too late")
	require.Empty(t, s.only().TextTail)
	require.Equal(t, 2, s.only().Attempt)
}

func TestOtherTiersAreWorkersWhileTheyAskAModel(t *testing.T) {
	t.Parallel()
	s, _ := planned(t, "T-1")
	request := s.asks("", 1)
	require.Equal(t, []string{"orchestrator", "tier1:"}, []string{s.only().Role, s.only().UID})
	s.by(events.ActorModels, events.ModelFailed{Request: request, Kind: events.ModelOverloaded, Message: "oh"})
	require.Equal(t, "failed", s.set.Workers().Finished[0].Status)
	s.replies(s.asks("", 1), "[]")
	require.Len(t, s.set.Workers().Finished, 1)
	require.Equal(t, "completed", s.set.Workers().Finished[0].Status)
}

func TestFinishedWorkersTextAndTraceAreBounded(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	for range projections.MaxFinishedWorkers + 1 {
		ticket := s.spawns(events.WorkerSpawnRequested{Prompt: "Mend it"})
		s.by(events.ActorConductor, events.TicketCompleted{Ticket: ticket})
	}
	w := s.set.Workers()
	require.Len(t, w.Finished, projections.MaxFinishedWorkers)
	require.Equal(t, 1, w.Before)

	ticket := s.spawns(events.WorkerSpawnRequested{Prompt: "Mend it"})
	s.starts(ticket, 1)
	for range projections.MaxWorkerTrace {
		s.replies(s.asks(ticket, 3), strings.Repeat("é", projections.MaxWorkerTail/2))
	}
	last := s.only()
	require.Len(t, last.Trace, projections.MaxWorkerTrace)
	require.Greater(t, last.Steps, projections.MaxWorkerTrace)
	require.LessOrEqual(t, len(last.TextTail), projections.MaxWorkerTail)
	require.Equal(t, strings.ToValidUTF8(last.TextTail, "?"), last.TextTail)
	require.Equal(t, projections.MaxWorkerTail*projections.MaxWorkerTrace, last.TextBytes)
}

func TestASpawnedWorkerIsFoundAgainUntilItsEndAndAfter(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	x := events.WorkerSpawnRequested{Prompt: "Mend it", RequestID: "r-1"}
	ticket := s.spawns(x)
	got, ok := s.set.SpawnedAs("r-1")
	require.True(t, ok)
	require.Equal(t, ticket, got.Ticket)
	require.True(t, got.Accepted)
	require.Nil(t, got.Ended)
	require.Equal(t, x.Digest(), got.SHA256)
	s.by(events.ActorConductor, events.TicketBlocked{Ticket: ticket, Kind: events.BlockDenied, Reason: "no"})
	got, _ = s.set.Spawned(ticket)
	require.Equal(t, []string{"denied", "no"}, []string{got.Outcome, got.Reason})
	s.by(events.ActorConductor, events.TicketRetried{Ticket: ticket, RetryCount: 1})
	got, _ = s.set.Spawned(ticket)
	require.Nil(t, got.Ended)
	s.by("ada", events.SessionClosed{Reason: "done"})
	got, _ = s.set.Spawned(ticket)
	require.Equal(t, "stopped", got.Outcome)
}

func TestARefusedRequestForAWorkerLeavesItsNameFree(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	ticket := s.spawns(events.WorkerSpawnRequested{Prompt: "Mend it", RequestID: "r-1"})
	again := s.by("ada", events.WorkerSpawnRequested{Prompt: "Mend it", RequestID: "r-1"})
	s.by(events.ActorConductor, events.ControlRefused{Request: again, Kind: "WorkerSpawnRequested",
		Ticket: events.WorkerTicket(again), Reason: "again"})
	got, ok := s.set.SpawnedAs("r-1")
	require.True(t, ok)
	require.Equal(t, ticket, got.Ticket, "the first one counts")
	got, ok = s.set.Spawned(events.WorkerTicket(again))
	require.True(t, ok)
	require.Equal(t, []string{"refused", "again"}, []string{got.Outcome, got.Reason})
	other := s.by("ada", events.WorkerSpawnRequested{Prompt: " ", RequestID: "r-2"})
	s.by(events.ActorConductor, events.ControlRefused{Request: other, Kind: "WorkerSpawnRequested", Reason: "no prompt"})
	_, ok = s.set.SpawnedAs("r-2")
	require.False(t, ok)
	for range projections.MaxRefusedWorkers {
		other = s.by("ada", events.WorkerSpawnRequested{Prompt: " "})
		s.by(events.ActorConductor, events.ControlRefused{Request: other, Kind: "WorkerSpawnRequested", Reason: "no prompt"})
	}
	_, ok = s.set.Spawned(events.WorkerTicket(again))
	require.False(t, ok, "the oldest are forgotten")
	_, ok = s.set.Spawned(events.WorkerTicket(other))
	require.True(t, ok)
}

func TestTheBoardFollowsWorkersAndChanges(t *testing.T) {
	t.Parallel()
	s, goal := planned(t, "T-1", "T-2")
	ticket := s.spawns(events.WorkerSpawnRequested{Prompt: "Mend it"})
	v := s.set.MMAStatus()
	require.Equal(t, projections.Executing, v.MMAStatus)
	require.Equal(t, "TR-1", v.ActiveTrack, "a track that is at work stays the active one")
	require.Len(t, v.Tracks, 2)
	s.by(events.ActorConductor, events.GraphMutated{By: "ada", Ops: []events.GraphOp{
		{Op: events.GraphAddDependency, Ticket: "T-2", Dependency: "T-1"},
		{Op: events.GraphSetPriority, Ticket: "T-2", Priority: "high"},
		{Op: events.GraphAddTicket, Ticket: "T-3", Track: "TR-1", New: &events.Ticket{ID: "T-3", Description: "more",
			Status: events.StatusTodo, Priority: "low"}},
		{Op: events.GraphRemoveTicket, Ticket: "T-1"},
	}})
	v = s.set.MMAStatus()
	require.Equal(t, []string{"T-2", "T-3"}, []string{v.ActiveTickets[0].ID, v.ActiveTickets[1].ID})
	require.Equal(t, []string{"T-1"}, v.ActiveTickets[0].DependsOn)
	require.Equal(t, "high", v.ActiveTickets[0].Priority)
	_, there := s.set.Ticket("T-1")
	require.False(t, there)
	s.by(events.ActorConductor, events.GoalCompleted{Goal: goal})
	require.Equal(t, projections.Executing, s.set.MMAStatus().MMAStatus, "the worker is still at it")
	s.by(events.ActorConductor, events.TicketCompleted{Ticket: ticket})
	s.by(events.ActorConductor, events.TrackCompleted{Track: events.WorkerTrack(ticket)})
	require.Equal(t, projections.Done, s.set.MMAStatus().MMAStatus)
}

func TestWorkersComeBackFromASnapshot(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	for i := range 3 {
		ticket := s.spawns(events.WorkerSpawnRequested{Prompt: "Mend it", RequestID: fmt.Sprint("r-", i)})
		s.starts(ticket, 1)
		s.asks(ticket, 3)
	}
	for _, start := range projections.Catalogue() {
		m := start()
		whole := start()
		half := len(s.log) / 2
		for i := range s.log {
			if i == half {
				raw, err := m.JSON()
				require.NoError(t, err)
				m = start()
				require.NoError(t, m.Restore(raw))
			}
			m.Apply(&s.log[i])
			whole.Apply(&s.log[i])
		}
		a, err := m.JSON()
		require.NoError(t, err)
		b, err := whole.JSON()
		require.NoError(t, err)
		require.Equal(t, json.RawMessage(b), json.RawMessage(a), m.Name())
	}
}
