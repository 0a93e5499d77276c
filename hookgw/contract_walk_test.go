package hookgw_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/hookgw"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/request"
	"manualslop/hookgw/wire"
)

// contractCase is one request to a route, and what its answer must be beside
// what the OpenAPI document says of it.
type contractCase struct {
	path   string            // with values in place of variables; empty: the pattern
	body   string            // empty of a GET
	before func(*fixture)    // what has to be there
	status int               // 0: 200
	exact  string            // the whole body; empty: anything
	keys   string            // members of the body in their order, with blanks between
	under  map[string]string // the same of members of the body
}

func TestEveryRouteAnswersAsItsContractSays(t *testing.T) {
	t.Parallel()
	cases := contractCases()
	for _, r := range hookgw.Routes() {
		name := r.Method + " " + r.Pattern
		given := cases[name]
		require.NotEmpty(t, given, "%s has no case in the contract test", name)
		delete(cases, name)
		for _, c := range given {
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				c.check(t, r)
			})
		}
	}
	require.Empty(t, cases, "cases of routes that there are not")
}

func (c contractCase) check(t *testing.T, r request.Route) {
	f := contractFixture(t)
	if c.before != nil {
		c.before(f)
	}
	if c.path == "" {
		c.path = r.Pattern
	}
	if c.status == 0 {
		c.status = http.StatusOK
	}
	if r.Media == "text/event-stream" && c.status == http.StatusOK {
		f.opensFeed(f.request(r.Method, c.path, access.RightHuman, c.body))
		return
	}
	a := f.send(f.request(r.Method, c.path, access.RightHuman, c.body))
	require.Equal(t, c.status, a.status, string(a.body))
	if c.exact != "" {
		require.Equal(t, c.exact, string(a.body))
	}
	if c.keys != "" {
		require.Equal(t, strings.Fields(c.keys), keysOf(t, a.body))
	}
	for name, keys := range c.under {
		var members map[string]json.RawMessage
		require.NoError(t, json.Unmarshal(a.body, &members))
		require.Equal(t, strings.Fields(keys), keysOf(t, members[name]), name)
	}
}

// contractFixture is a gateway that has everything that routes look at, and in
// which nobody but the approval decider answers.
func contractFixture(t *testing.T, more ...func(*core.Config)) *fixture {
	blobs := eventstest.NewMemory()
	_, err := blobs.Put(t.Context(), []byte("body"), "text/plain")
	require.NoError(t, err)
	started := newHost()
	started.startup = []wire.StartupTask{{CanaryID: "1", Module: "bus", ThreadName: "serve", Status: wire.StartupPending}}
	close(started.started)
	f := open(t, append([]func(*core.Config){staffed, in(started),
		withFolder(&folder{files: map[string]string{"demo.toml": `{"project":{"name":"demo"}}`}}),
		limited(func(l *request.Limits) {
			l.SettleWait, l.Generate = 10*time.Millisecond, 10*time.Millisecond
		}),
		func(c *core.Config) { c.Blobs, c.AskTimeout = blobs, time.Minute }}, more...)...)
	return f
}

// opensFeed wants a feed that begins, and leaves.
func (f *fixture) opensFeed(req *http.Request) {
	f.t.Helper()
	ctx, cancel := context.WithCancel(f.t.Context())
	defer cancel()
	resp, err := f.client.Do(req.WithContext(ctx))
	require.NoError(f.t, err)
	defer resp.Body.Close()
	require.Equal(f.t, http.StatusOK, resp.StatusCode)
	require.Equal(f.t, "text/event-stream", resp.Header.Get("Content-Type"))
	begin := make([]byte, len("retry: "))
	_, err = io.ReadFull(resp.Body, begin)
	require.NoError(f.t, err)
	require.Equal(f.t, "retry: ", string(begin))
}

// keysOf are the names of an object's members as they stand.
func keysOf(t *testing.T, raw []byte) []string {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(raw))
	first, err := dec.Token()
	require.NoError(t, err)
	require.Equal(t, json.Delim('{'), first, string(raw))
	var names []string
	for dec.More() {
		name, err := dec.Token()
		require.NoError(t, err)
		names = append(names, name.(string))
		var value json.RawMessage
		require.NoError(t, dec.Decode(&value))
	}
	return names
}

// asked raises a question of a gate, or of /api/ask, and waits until it shows.
func asked(gate string) func(*fixture) {
	return func(f *fixture) {
		f.raise("r1", gate)
		f.settleAlone()
	}
}

// settleAlone plays an approval decider that settles asks raised before.
func (f *fixture) settleAlone() {
	f.approve()
	f.awaitRaised("r1")
}

// answered is asked, and answered already.
func answered(f *fixture) {
	asked(events.GateTool)(f)
	f.put(events.ActorApproval, events.AskSettled{Ask: "r1", Gate: events.GateTool, Outcome: events.Yes, By: person,
		AnswerID: "x", At: time.Now()})
}

func TestAskAnswersAsTheOriginalDid(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.approve()
	waiting := f.ask(`{"request_id":"r1","tool":"run_powershell"}`)
	f.awaitAsk("r1")
	respond := f.respond("r1", `{"approved":true}`)
	require.Equal(t, `{"status": "ok"}`, string(respond.body))
	require.Equal(t, `{"status": "ok", "response": {"approved":true}}`, string((<-waiting).body))
	require.Equal(t, http.StatusConflict, f.respond("r1", "true").status, "settled")
	require.Equal(t, http.StatusNotFound, f.respond("r2", "true").status, "never asked")

	late := open(t, func(c *core.Config) { c.AskTimeout = time.Millisecond; c.Limits.AskGrace = time.Millisecond })
	require.Equal(t, http.StatusGatewayTimeout, late.post("/api/ask", access.RightAsk, `{"x":1}`).status)
}
