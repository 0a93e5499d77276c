package events_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

func TestASessionIsClosedByWhatCanBeReadAndMayBeWritten(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		e    events.Event
		want bool
	}{
		"a person's": {events.Event{Type: "SessionClosed", Actor: "ada", V: 1,
			Data: json.RawMessage(`{"reason":"done"}`)}, true},
		"a worker's": {events.Event{Type: "SessionClosed", Actor: "worker-a-1", V: 1,
			Data: json.RawMessage(`{"reason":"done"}`)}, false},
		"with a broken body": {events.Event{Type: "SessionClosed", Actor: "ada", V: 1, Data: json.RawMessage(`[1,2`)},
			false},
		"without a body": {events.Event{Type: "SessionClosed", Actor: "ada", V: 1, Data: json.RawMessage(`null`)},
			false},
		"of a later version": {events.Event{Type: "SessionClosed", Actor: "ada", V: 99, Data: json.RawMessage(`{}`)}, false},
		"found to be no fact": {events.Event{Type: "SessionClosed", Actor: "ada", Payload: events.Unreadable("SessionClosed",
			1, nil, "no envelope")}, false},
		"another type": {events.Event{Type: "SessionOpened", Actor: "ada", V: 1, Data: json.RawMessage(`{}`)}, false},
	} {
		require.Equal(t, c.want, events.Closes(c.e), name)
	}
}
