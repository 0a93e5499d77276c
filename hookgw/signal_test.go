package hookgw_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/feed"
)

// speaking gives a gateway the signals that a test sends. Who listens is told:
// the session when it begins, nothing when it ends.
func speaking() (say chan feed.Signal, listening chan string, change func(*core.Config)) {
	say, listening = make(chan feed.Signal), make(chan string, 4)
	return say, listening, func(c *core.Config) {
		c.Signals = func(ctx context.Context, session string, take func(feed.Signal)) error {
			listening <- session
			for {
				select {
				case s := <-say:
					take(s)
				case <-ctx.Done():
					listening <- ""
					return nil
				}
			}
		}
	}
}

// delta is a signal of a model that writes.
func delta(body string) feed.Signal {
	return feed.Signal{Actor: events.ActorModels, Name: "delta", Body: []byte(body)}
}

func TestLiveTextIsShownToWhoAsksForItAndHasNoPosition(t *testing.T) {
	t.Parallel()
	say, listening, spoken := speaking()
	f := open(t, spoken)
	plain, endPlain := f.feed("/api/stream")
	wants, endWants := f.feed("/api/stream?signals=1")
	require.Equal(t, session, <-listening)
	for _, want := range []string{"", "snapshot"} {
		require.Equal(t, want, plain.must().event)
		require.Equal(t, want, wants.must().event)
	}
	say <- delta("{\"stream_id\":\"Tier 1\",\n \"delta\":\"Hel\"}")
	say <- feed.Signal{Actor: events.ActorModels, Name: "here"}
	say <- delta("no JSON")
	say <- feed.Signal{Actor: "worker-1", Name: "delta", Body: []byte(`{"delta":"forged"}`)}
	say <- delta(`{"stream_id":"Tier 1","delta":"lo"}`)
	for _, want := range []string{`{"stream_id":"Tier 1","delta":"Hel"}`, `{"stream_id":"Tier 1","delta":"lo"}`} {
		fr := wants.must()
		require.Equal(t, "delta", fr.event)
		require.Equal(t, want, fr.data)
		require.False(t, fr.hasID)
	}
	fact := f.push(1)
	require.Equal(t, fact.Seq, wants.must().id)
	require.Equal(t, fact.Seq, plain.must().id, "no text for who did not ask")
	endPlain()
	endWants()
	require.Empty(t, <-listening, "nobody reads, so nobody listens")
}

func TestLiveTextBehindItsAnswerIsNotShown(t *testing.T) {
	t.Parallel()
	say, listening, spoken := speaking()
	f := open(t, spoken)
	feed, end := f.feed("/api/stream?signals=1")
	require.Equal(t, session, <-listening)
	require.Empty(t, feed.must().event)
	require.Equal(t, "snapshot", feed.must().event)
	say <- delta(`{"stream_id":"Tier 1","request":"r1","piece":0,"delta":"half"}`)
	require.Contains(t, feed.must().data, "half")
	f.put(events.ActorModels, events.ModelFailed{Request: "r1", Kind: events.ModelNetwork})
	require.Contains(t, feed.must().data, events.ModelNetwork, "from here on nothing of it counts")
	say <- delta(`{"stream_id":"Tier 1","request":"r1","piece":1,"delta":"late"}`)
	say <- delta(`{"stream_id":"Tier 1","request":"r2","piece":0,"delta":"whole"}`)
	require.Contains(t, feed.must().data, "whole")
	end()
	require.Empty(t, <-listening)
}

func TestTheStreamOfAWorkerTakesBackTheTextOfAFailedAttempt(t *testing.T) {
	t.Parallel()
	say, _, spoken := speaking()
	f := crewIn(openEmpty(t, spoken), nil, silence)
	resp, err := f.client.Do(f.request(http.MethodPost, "/api/v1/stream", access.RightHuman, `{"prompt":"mend it"}`))
	require.NoError(t, err)
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	until := func(kind, state string) map[string]any {
		at := ""
		for lines.Scan() {
			name, value, _ := strings.Cut(lines.Text(), ": ")
			if name == "event" {
				at = value
			}
			var body map[string]any
			if name == "data" && at == kind && json.Unmarshal([]byte(value), &body) == nil &&
				(state == "" || body["state"] == state) {
				return body
			}
		}
		t.Fatalf("no %s %s came", kind, state)
		return nil
	}
	stream := until("worker", "")["stream_id"].(string)
	piece := func(request any, text string) {
		body, err := json.Marshal(map[string]any{"stream_id": stream, "request": request, "piece": 0, "delta": text})
		require.NoError(t, err)
		say <- delta(string(body))
	}
	first := until("state", "calling the model")["request"]
	piece(first, "half")
	require.Equal(t, "half", until("delta", "")["delta"])
	f.put(events.ActorModels, events.ModelFailed{Request: first.(string), Kind: events.ModelNetwork})
	require.Equal(t, first, until("state", "the model failed")["request"], "so much for what came")
	second := until("state", "calling the model")["request"]
	require.NotEqual(t, first, second)
	piece(first, "late")
	piece(second, "whole")
	require.Equal(t, "whole", until("delta", "")["delta"])
}
