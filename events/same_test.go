package events_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

// renamed is a type whose second version calls its member otherwise.
type renamed struct {
	Turn int `json:"turn"`
}

func (renamed) EventType() events.Type { return events.Type{Name: "Renamed", Version: 2} }

func TestABodyIsTheSameWhateverItsVersionAndItsEncoder(t *testing.T) {
	t.Parallel()
	lift := func(b json.RawMessage) (json.RawMessage, error) {
		var was struct{ Round int }
		err := json.Unmarshal(b, &was)
		out, _ := json.Marshal(renamed{was.Round})
		return out, err
	}
	r, err := events.NewRegistry([]events.Def{events.Define(events.Decision, "conductor", "d", renamed{}, lift)})
	require.NoError(t, err)
	decided := &events.Event{Type: "Renamed", V: 2, Data: json.RawMessage(`{"turn":3}`), Payload: renamed{3}}
	for _, c := range []struct {
		v    int
		data string
		same bool
	}{
		{2, `{"turn":3}`, true}, {2, `{ "turn": 3.0 }`, true}, {2, `{"turn":4}`, false}, {2, `{"turn":3,"more":1}`, false},
		{1, `{"round":3}`, true}, {1, `{"round":4}`, false}, {3, `{"turn":3}`, false}, {1, `{`, false}, {2, `{`, false},
	} {
		e := &events.Event{Type: "Renamed", V: c.v, Actor: "conductor", Data: json.RawMessage(c.data)}
		r.Decode(e)
		require.Equal(t, c.same, events.SameBody(e, decided), "%d %s", c.v, c.data)
	}
}
