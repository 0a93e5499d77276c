package runtime

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
)

// killsLog is a log of kills in memory.
type killsLog struct{ *eventstest.Memory }

func (killsLog) LastEvent(context.Context, events.Filter) (events.Event, bool, error) {
	return events.Event{}, false, nil
}

func (l killsLog) kill(t *testing.T, ticket string) {
	e, err := events.New(events.Origin{ID: fmt.Sprintf("%026d", time.Now().UnixNano()), Time: time.Now(), Project: "p1",
		Session: "S1", Actor: events.ActorConductor},
		events.TicketKilled{Ticket: ticket, Attempt: 1, By: "ada"})
	require.NoError(t, err)
	_, err = l.Append(t.Context(), e, nil)
	require.NoError(t, err)
}

// TestKillIsKnownAmongMoreThanAWorkerRemembers has a session with one more kill
// than a worker remembers, the first of which counts.
func TestKillIsKnownAmongMoreThanAWorkerRemembers(t *testing.T) {
	t.Parallel()
	log := killsLog{eventstest.NewMemory()}
	t.Cleanup(log.Close)
	log.kill(t, "first")
	for i := range maxKills {
		log.kill(t, fmt.Sprint("other-", i))
	}
	w := &Worker{Project: "p1", Log: log}
	for range 2 {
		killed, err := w.isKilled(t.Context(), "S1", events.ToolApproved{Tool: "read_file", Ticket: "first", Attempt: 1})
		require.NoError(t, err)
		require.True(t, killed)
		killed, err = w.isKilled(t.Context(), "S1", events.ToolApproved{Tool: "read_file", Ticket: "first", Attempt: 2})
		require.NoError(t, err)
		require.False(t, killed, "a later attempt")
	}
}
