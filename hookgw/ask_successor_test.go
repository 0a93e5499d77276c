package hookgw_test

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
)

func TestAnAskOutlivesItsGatewayAndTheRetryIsAnswered(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.approve()
	const body = `{"request_id":"r1","x":1}`
	first := f.ask(body)
	f.awaitAsk("r1")
	f.stop()
	away := <-first
	require.Equal(t, http.StatusServiceUnavailable, away.status)
	require.Contains(t, string(away.body), "r1", "it says how to go on waiting")

	g := f.again(t)
	retry := g.ask(body)
	require.Equal(t, http.StatusConflict, g.post("/api/ask", access.RightAsk, `{"request_id":"r1","x":2}`).status)
	require.Equal(t, http.StatusOK, g.respond("r1", `"fine"`).status)
	const want = `{"status":"ok","response":"fine"}`
	require.JSONEq(t, want, string((<-retry).body))

	h := g.again(t)
	require.JSONEq(t, want, string(h.post("/api/ask", access.RightAsk, body).body), "settled, and told again")
	require.Equal(t, http.StatusConflict, h.respond("r1", "true").status)
	require.Len(t, recorded[events.AskPosted](f), 1)
}

func TestAnAskPostedAtOneGatewayIsAnsweredAtAnother(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.approve()
	g := f.again(t)
	waiting := f.ask(`{"request_id":"r1"}`)
	f.awaitAsk("r1")
	require.Equal(t, http.StatusOK, g.respond("r1", `{"n":1}`).status)
	require.JSONEq(t, `{"status":"ok","response":{"n":1}}`, string((<-waiting).body))
}

func TestAnExpiredAskLeavesNothingOpenAndItsPlaceFree(t *testing.T) {
	t.Parallel()
	f := open(t, func(c *core.Config) { c.Limits.Waiting = 1 })
	f.approve()
	waiting := f.ask(`{"request_id":"r1"}`)
	f.awaitAsk("r1")
	f.put(events.ActorTimers, events.TimerFired{Ask: "r1", Due: time.Now()})
	require.Equal(t, http.StatusGatewayTimeout, (<-waiting).status)
	require.Empty(t, f.get("/api/asks", access.RightRead).object(t)["asks"])
	second := f.ask(`{"request_id":"r2"}`)
	f.awaitAsk("r2") // there was a place for it
	require.Equal(t, http.StatusOK, f.respond("r2", "true").status)
	require.Equal(t, http.StatusOK, (<-second).status)
}
