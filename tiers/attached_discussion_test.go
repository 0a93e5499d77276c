package tiers_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers"
)

func TestDiscussionsAreDroppedWithWhatTheyAreAttachedTo(t *testing.T) {
	t.Parallel()
	for _, end := range []events.Payload{events.GoalCompleted{Goal: "W"}, events.GoalFailed{Goal: "W"},
		events.TicketsAdded{Request: "W"}, events.TicketCompleted{Ticket: "W"}} {
		talks := tiers.Talks{}
		for _, to := range []string{"W", "other"} {
			talks.Evolve(&events.Event{ID: "1", Payload: events.TalkAttached{To: to, Discussion: "main",
				Entries: []events.TurnEntry{{Entry: "1", Role: "User", Text: "x"}}}})
		}
		require.Len(t, talks, 2)
		talks.Evolve(&events.Event{ID: "2", Payload: end})
		require.Len(t, talks, 1, "%T", end)
		require.Contains(t, talks, "other")
	}
}
