package bus

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

// ready is a message of the log that a ticket is ready.
func ready(t *testing.T, seq uint64, ticket string) stored {
	t.Helper()
	e, err := events.New(events.Origin{ID: ticket, Time: time.Unix(1, 0), Project: "p1", Session: "s1",
		Actor: events.ActorConductor},
		events.TicketReady{Ticket: ticket})
	require.NoError(t, err)
	body, err := e.MarshalJSON()
	require.NoError(t, err)
	return stored{events.Stored{Subject: e.Subject(), MsgID: e.ID, Seq: seq, Time: e.Time, Body: body}, false}
}

func TestRecentEventIsDecodedOnce(t *testing.T) {
	t.Parallel()
	r := NewRecent()
	for range 3 {
		e, err := r.event(ready(t, 7, "T-001"))
		require.NoError(t, err)
		require.Equal(t, events.TicketReady{Ticket: "T-001"}, e.Payload)
		require.Equal(t, uint64(7), e.Seq)
		r.registry = nil // nothing more is decoded
	}
}

func TestRecentNeverTakesOneMessageForAnother(t *testing.T) {
	t.Parallel()
	r := NewRecent()
	first := ready(t, 7, "T-001")
	_, err := r.event(first)
	require.NoError(t, err)
	for name, other := range map[string]stored{
		"another body at the position, of a store that was made anew": ready(t, 7, "T-002"),
		"a newer event with the same place":                           ready(t, 7+recentEvents, "T-003"),
		"one that the server copied":                                  {first.Stored, true},
	} {
		e, err := r.event(other)
		require.NoError(t, err, name)
		want, err := fromStored(other)
		require.NoError(t, err, name)
		events.Catalogue().Decode(&want)
		require.Equal(t, want, e, name)
	}
}

func TestRecentKeepsNothingLarge(t *testing.T) {
	t.Parallel()
	for size, kept := range map[int]bool{recentBytes: true, recentBytes + 1: false} {
		r, m := NewRecent(), ready(t, 7, "T-001")
		m.Body = append(m.Body, make([]byte, size-len(m.Body))...)
		for i := len(m.Body) - 1; m.Body[i] == 0; i-- {
			m.Body[i] = ' '
		}
		first := r.find(m)
		require.Equal(t, kept, first == r.find(m), size)
	}
}
