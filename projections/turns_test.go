package projections_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
)

func TestATurnSaysWhatWasRetrievedAndWhatItCost(t *testing.T) {
	t.Parallel()
	s := opened(t, events.Settings{})
	s.by("ada", events.ModelsOffered{Models: []events.ModelOffer{{Provider: "openai", Model: "text-embedding-*",
		Prices: []events.ModelPrice{{ID: "e", Input: 20_000}}}}})
	turn := events.TurnTicket(s.by("ada", events.TurnRequested{Discussion: "main", Text: "Where?"}))
	passage := events.View{Path: "a.go", View: events.ViewRetrieved, Slice: &events.FileSlice{StartLine: 3, EndLine: 9},
		Score: 0.5}
	lost := passage
	lost.Error = "gone"
	report := &events.Retrieved{Ticket: turn, Tier: 3, Source: events.RetrieveVectors, Provider: "openai",
		Model: "text-embedding-3-small", Files: 1, Passages: 2, Embedded: 2, Usage: &events.Usage{Input: 7}}
	s.by("worker-a-1", events.ContextBuilt{Request: "R", Retrieved: report,
		Views: []events.View{{Path: "AGENTS.md", View: events.ViewRaw}, passage, lost}})
	s.by("worker-a-1", events.ContextBuilt{Request: "R2"})
	got, found := s.set.Turn(turn)
	require.True(t, found)
	require.Equal(t, &projections.TurnRetrieved{Retrieved: *report,
		Found: []projections.TurnPassage{{Path: "a.go", First: 3, Last: 9, Score: 0.5}}}, got.Retrieved)

	want := projections.Usage{Requests: 1, Input: 7}
	require.Equal(t, want, s.set.Cost().Total)
	require.Equal(t, want, *s.set.Cost().Ticket[turn])
	require.Equal(t, want, *s.set.Cost().Model["openai/text-embedding-3-small"])
	lines := s.set.Spending()
	require.Len(t, lines, 1)
	require.Equal(t, want, lines[0].Usage)
	require.Equal(t, "e", lines[0].Price.ID)
}
