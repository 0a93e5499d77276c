package projections_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
)

func TestSpansTellWhatTookTimeAndHowItEnded(t *testing.T) {
	t.Parallel()
	s, goal := planned(t, "T-001", "T-002")
	s.by(events.ActorConductor, events.TicketStarted{Track: "TR-1", Ticket: events.Ticket{ID: "T-001",
		Description: "Do it"}, Attempt: 1, Model: "m3"})
	context := s.by(events.ActorContributor, events.ContextRequested{Tier: 3, Ticket: "T-001", Attempt: 1,
		Views: []events.ViewRequest{{}}})
	built := s.by("worker-a", events.ContextBuilt{Request: context})
	request := s.asks("T-001", 3)
	s.replies(request, "I look.", "read_file")
	call := s.approved(events.CallID(request, 0), "read_file", "T-001")
	s.by("worker-a", outcome(call, "read_file", "text"))
	ask := s.by(events.ActorApproval, events.AskRaised{Ask: "a1", Gate: events.GateTool, Title: "edit_file a.go",
		Ticket: "T-001"})
	require.NotEmpty(t, ask)

	type row struct{ Kind, ID, Worker, State string }
	rows := func() (out []row) {
		list, older := s.set.Spans(0, 100)
		require.Zero(t, older)
		for _, p := range list {
			out = append(out, row{p.Kind, p.ID, p.Worker, p.State})
			require.Equal(t, p.End == nil, p.State == projections.SpanOpen, p.ID)
			require.Equal(t, p.End == nil, p.EndSeq == 0, p.ID)
			if p.End != nil {
				require.False(t, p.End.Before(p.Start), p.ID)
			}
		}
		return out
	}
	want := []row{{"goal", goal, "", "open"}, {"attempt", "T-001#1", "T-001", "open"},
		{"context", context, "T-001", "done"},
		{"model", request, "T-001", "stop"}, {"tool", call, "T-001", "done"}, {"ask", "a1", "T-001", "open"}}
	require.Equal(t, want, rows())

	s.by(events.ActorApproval, events.AskSettled{Ask: "a1", Gate: events.GateTool, Outcome: events.Yes, By: "ada",
		AnswerID: "x", At: at(1)})
	s.by(events.ActorConductor, events.TicketBlocked{Ticket: "T-001", Kind: events.BlockWorker, Reason: "gave up"})
	s.by(events.ActorConductor, events.GoalFailed{Goal: goal, Reason: "blocked"})
	want[0].State, want[1].State, want[5].State = "failed", "blocked", "yes"
	require.Equal(t, want, rows())
	list, _ := s.set.Spans(0, 100)
	require.Equal(t, "gave up", list[1].Detail)
	require.Equal(t, "ada", list[5].By)
	require.EqualValues(t, 10, list[3].Usage.Input)
	require.Equal(t, built, list[2].EndID)
	require.Equal(t, int64(3), list[4].End.Sub(*list[4].Began).Milliseconds(), "the work of a call is its duration")

	one, known := s.set.Span(call)
	require.True(t, known)
	require.Equal(t, list[4], one)
	_, known = s.set.Span("none")
	require.False(t, known)
	newest, found := s.set.Conversation("T-001", 0)
	require.Equal(t, 1, newest)
	require.Len(t, found, 4)
	newest, found = s.set.Conversation("T-002", 0)
	require.Zero(t, newest)
	require.Empty(t, found)
	before, older := s.set.Spans(list[3].Seq, 2)
	require.Equal(t, list[1:3], before)
	require.EqualValues(t, 1, older)
}

func TestSpansGoOnFromASnapshot(t *testing.T) {
	t.Parallel()
	s, _ := planned(t, "T-001")
	request := s.asks("T-001", 3)
	snap, err := s.set.Snapshot()
	require.NoError(t, err)
	raw, err := json.Marshal(snap)
	require.NoError(t, err)
	var again projections.Snapshot
	require.NoError(t, json.Unmarshal(raw, &again))
	other := projections.NewSet()
	require.NoError(t, other.Restore(again))
	s.replies(request, "Done.")
	other.Apply(&s.last)
	require.Equal(t, s.set.Digest()["spans"], other.Digest()["spans"])
	list, _ := other.Spans(0, 10)
	require.Equal(t, "stop", list[len(list)-1].State)
}

func TestOldSpansAreDroppedAndCounted(t *testing.T) {
	t.Parallel()
	set := projections.NewSet()
	const all = 2 * projections.MaxSpans
	for seq := 1; seq <= all; seq++ {
		set.Apply(&events.Event{ID: itoa(seq), Seq: uint64(seq), Payload: events.GoalSubmitted{Goal: "x"}})
	}
	list, older := set.Spans(0, all)
	require.GreaterOrEqual(t, len(list), projections.MaxSpans)
	require.Less(t, len(list), projections.MaxSpans+projections.MaxSpans/5)
	require.EqualValues(t, all, older+uint64(len(list)))
	require.EqualValues(t, all, list[len(list)-1].Seq)
}

func TestAClosedSessionEndsItsAttempts(t *testing.T) {
	t.Parallel()
	s, _ := planned(t, "T-001")
	s.by(events.ActorConductor, events.TicketStarted{Track: "TR-1", Ticket: events.Ticket{ID: "T-001"}, Attempt: 1})
	s.by("ada", events.SessionClosed{Reason: "enough"})
	attempt, known := s.set.Span("T-001#1")
	require.True(t, known)
	require.Equal(t, []any{projections.WorkerStopped, "enough"}, []any{attempt.State, attempt.Detail})
	require.NotNil(t, attempt.End)
}
