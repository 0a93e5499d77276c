package projections_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
)

func TestATicketListsItsNewestAttemptsAndNotes(t *testing.T) {
	t.Parallel()
	s, _ := planned(t, "T-001")
	require.Empty(t, s.set.TicketPast("T-001").Attempts)
	s.by(events.ActorConductor, events.TicketBlocked{Ticket: "T-001", Kind: events.BlockManual, Reason: "not yet"})
	require.Empty(t, s.set.TicketPast("T-001").Attempts, "it had not begun")
	for i := range projections.MaxPast + 1 {
		s.by(events.ActorConductor, events.TicketStarted{Track: "TR-1", Ticket: events.Ticket{ID: "T-001"}, Attempt: i + 1})
		s.by(events.ActorConductor, events.TicketNoted{Ticket: "T-001", By: "ada", Note: fmt.Sprint("note ", i, "\nmore")})
		s.by(events.ActorConductor, events.TicketBlocked{Ticket: "T-001", Reason: fmt.Sprint("reason ", i)})
		s.by(events.ActorConductor, events.TicketBlocked{Ticket: "T-001", Reason: "again, without an attempt"})
	}
	past := s.set.TicketPast("T-001")
	require.Len(t, past.Attempts, projections.MaxPast)
	require.Len(t, past.Notes, projections.MaxPast)
	require.Equal(t, 1, past.Earlier)
	require.Equal(t, "note 1…", past.Notes[0].Note)
	require.Equal(t, 2, past.Attempts[0].Attempt)
	require.Equal(t, "reason 1", past.Attempts[0].Reason)
	s.by(events.ActorConductor, events.TicketStarted{Track: "TR-1", Ticket: events.Ticket{ID: "T-001"}, Attempt: 99})
	s.by(events.ActorConductor, events.TicketCompleted{Ticket: "T-001"})
	last := s.set.TicketPast("T-001").Attempts[projections.MaxPast-1]
	require.Equal(t, []any{99, events.StatusCompleted, ""}, []any{last.Attempt, last.Status, last.Reason})
	require.NotNil(t, last.Ended)

	s.by(events.ActorConductor, events.TicketStarted{Track: "TR-1", Ticket: events.Ticket{ID: "T-001"}, Attempt: 100})
	s.by(events.ActorConductor, events.TicketRetried{Ticket: "T-001", Reason: "a test failed"})
	s.by(events.ActorConductor, events.TicketStarted{Track: "TR-1", Ticket: events.Ticket{ID: "T-001"}, Attempt: 101})
	given := s.set.TicketPast("T-001").Attempts[projections.MaxPast-2]
	require.Equal(t, []any{100, projections.AttemptGivenUp, "a test failed"}, []any{given.Attempt, given.Status,
		given.Reason})
	require.NotNil(t, given.Ended, "the engine retries without a block")

	s.by("ada", events.SessionClosed{Reason: "enough"})
	last = s.set.TicketPast("T-001").Attempts[projections.MaxPast-1]
	require.Equal(t, []any{101, projections.WorkerStopped, "enough"}, []any{last.Attempt, last.Status, last.Reason})
	require.NotNil(t, last.Ended)
}
