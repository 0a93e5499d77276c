package projections_test

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
	"manualslop/projections/sessiongen"
)

const scrambledLength = 400

// stored is a set that passed through the stored form of its snapshot.
func stored(t testing.TB, set *projections.Set) *projections.Set {
	t.Helper()
	snap, err := set.Snapshot()
	require.NoError(t, err)
	raw, err := json.Marshal(snap)
	require.NoError(t, err)
	var back projections.Snapshot
	require.NoError(t, json.Unmarshal(raw, &back))
	again := projections.NewSet()
	require.NoError(t, again.Restore(back))
	return again
}

// requireSameState compares model by model, so that a failure shows the difference.
func requireSameState(t testing.TB, want, got *projections.Set, message ...any) {
	t.Helper()
	a, err := want.Snapshot()
	require.NoError(t, err)
	b, err := got.Snapshot()
	require.NoError(t, err)
	for i, m := range a.Models {
		require.Equal(t, string(m.State), string(b.Models[i].State), append([]any{m.Name + ": " + message[0].(string)},
			message[1:]...)...)
	}
}

// Whatever stands on a log, in whatever order: a state that was stored and read
// back goes on as the one that was not, at every position.
func TestAnyEventsFoldTheSameThroughSnapshots(t *testing.T) {
	t.Parallel()
	seeds := uint64(3)
	if os.Getenv("SLOP_LOAD") == "full" {
		seeds = 60
	}
	for seed := range seeds {
		log := sessiongen.Scrambled(seed, scrambledLength)
		whole, half := projections.NewSet(), projections.NewSet()
		for i := range log {
			whole.Apply(&log[i])
			require.Empty(t, whole.Stopped(), "seed %d event %d %s %s", seed, i, log[i].Type, log[i].Data)
			half.Apply(&log[i])
			if i%11 == 3 {
				half = stored(t, half)
				requireSameState(t, whole, half, "seed %d, event %d %s %s", seed, i, log[i].Type, log[i].Data)
			}
		}
		require.Equal(t, whole.Digest(), half.Digest(), "seed %d", seed)
		for range 2 {
			require.Equal(t, whole.Digest(), foldAll(sessiongen.Scrambled(seed, scrambledLength)).Digest(),
				"a fold depends on map order")
		}
	}
}

func TestAPlanThatTakesATakenIDDoesNotHideTheTicketAtWork(t *testing.T) {
	t.Parallel()
	s, goal := planned(t, "T-1")
	other := events.Track{ID: "TR-2", Title: "Printer"}
	s.by(events.ActorConductor, events.TrackStarted{Goal: goal, Track: other})
	s.by(events.ActorLead, events.TicketsPlanned{Track: "TR-2", Tickets: []events.Ticket{
		{ID: "T-1", Description: "Another", Status: events.StatusTodo}}})
	s.by(events.ActorConductor, events.TrackBlocked{Track: "TR-2",
		Reason: "the plan uses the ticket id T-1 a second time"})
	s.by(events.ActorConductor, events.TicketStarted{Track: "TR-1", Ticket: events.Ticket{ID: "T-1",
		Description: "Do T-1"}, Attempt: 1})
	s.set = stored(t, s.set)
	s.by(events.ActorConductor, events.TicketCompleted{Ticket: "T-1"})
	rows := s.set.Tickets()
	require.Len(t, rows, 2)
	require.Equal(t, []string{"TR-1", events.StatusCompleted}, []string{rows[0].Track, rows[0].Status})
	require.Equal(t, []string{"TR-2", events.StatusTodo}, []string{rows[1].Track, rows[1].Status})
	require.Equal(t, events.StatusBlocked, s.set.MMAStatus().Tracks[1].Status)
}

func TestFoldsChangeNoPayloadOfAnyEvents(t *testing.T) {
	t.Parallel()
	log := sessiongen.Scrambled(1, scrambledLength)
	foldAll(log)
	require.Equal(t, sessiongen.Scrambled(1, scrambledLength), log, "payloads are shared by all readers")
}

func TestARenamedDiscussionDoesNotComeBackThroughASnapshot(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	s.by("ada", events.DiscussionChanged{Operation: events.DiscussionRename, Discussion: "main", To: "plans"})
	s.set = stored(t, s.set)
	require.Len(t, s.set.Discussions(), 1)
	s.by("ada", events.DiscussionChanged{Operation: events.DiscussionDelete, Discussion: "main"})
	require.Equal(t, "there is no such discussion", s.set.DiscussionRefusal(s.last.ID))
}
