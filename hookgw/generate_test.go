package hookgw_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/request"
	"manualslop/projections"
)

func TestGenerateAnswersTextAndTokens(t *testing.T) {
	t.Parallel()
	f := crew(t, nil, "DONE: It is mended.")
	a := f.human("/api/v1/generate", `{"prompt":"mend it"}`)
	require.Equal(t, http.StatusOK, a.status, string(a.body))
	got := a.object(t)
	require.Equal(t, []any{"ok", "DONE: It is mended.", "completed", "", "script", "m0", 1.0},
		[]any{got["status"], got["text"], got["outcome"], got["reason"], got["provider"], got["model"], got["rounds"]})
	require.Equal(t, map[string]any{"requests": 1.0, "failed": 0.0, "input": 100.0, "output": 10.0, "cache_read": 50.0,
		"cache_write": 0.0}, got["usage"])
	require.Contains(t, got, "duration_ms")
	require.True(t, strings.HasPrefix(got["ticket"].(string), "W-"))
}

func TestGenerateTellsHowAnUnfinishedWorkerEnded(t *testing.T) {
	t.Parallel()
	gave := crew(t, nil, "BLOCKED: no such file")
	got := gave.human("/api/v1/generate", `{"prompt":"mend it"}`).object(t)
	require.Equal(t, []any{"worker", "no such file", "BLOCKED: no such file"}, []any{got["outcome"], got["reason"],
		got["text"]})

	denied := crew(t, func(s *events.Settings) { s.SpawnApproval = true })
	done := denied.background(denied.request(http.MethodPost, "/api/v1/generate", access.RightHuman,
		`{"prompt":"mend it"}`))
	id := denied.awaitAction()
	require.Equal(t, http.StatusConflict, denied.human("/api/v1/confirm/"+id, `{"approved":true}`).status,
		"confirm answers no spawn gate")
	require.Empty(t, denied.get("/api/v1/pending_actions", access.RightRead).object(t)["pending_actions"])
	require.Equal(t, http.StatusOK, denied.human("/api/asks/spawn/respond", `{"response":false}`).status)
	require.Equal(t, "denied", (<-done).object(t)["outcome"])

	killed := crew(t, nil, silence)
	done = killed.background(killed.request(http.MethodPost, "/api/v1/generate", access.RightHuman,
		`{"prompt":"mend it"}`))
	var uid string
	killed.awaitWorkers(func(w projections.Workers) bool {
		running := len(w.Active) == 1 && w.Active[0].Status == "running"
		if running {
			uid = w.Active[0].UID
		}
		return running
	})
	require.Equal(t, http.StatusOK, killed.human("/api/mma/workers/kill", `{"uid":"`+uid+`"}`).status)
	require.Equal(t, "killed", (<-done).object(t)["outcome"])
}

func TestAGatedCallOfGenerateWaitsForItsConfirmation(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		body, decision string
		edited         bool
		ran            string
	}{
		"yes":              {`{"approved":true}`, events.Yes, false, `{"script":"ls"}`},
		"edited script":    {`{"approved":true,"script":"pwd"}`, events.Yes, true, `{"script":"pwd"}`},
		"edited arguments": {`{"approved":true,"args":{"script":"id"}}`, events.Yes, true, `{"script":"id"}`},
		"no":               {`{"approved":false,"reason":"not now"}`, events.No, false, ""},
		"no with an edit":  {`{"approved":false,"script":"pwd"}`, events.No, false, ""},
		"unclear":          {`{"approved":"yes"}`, events.No, false, ""},
		"a number":         {`{"approved":1}`, events.No, false, ""},
		"nothing":          {`{}`, events.No, false, ""},
		"another case":     {`{"Approved":true}`, events.No, false, ""},
		"unknown member":   {`{"approved":true,"force":true}`, events.No, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := crew(t, nil, `{"script":"ls"}`, "DONE: listed.")
			done := f.background(f.request(http.MethodPost, "/api/v1/generate", access.RightHuman, `{"prompt":"mend it"}`))
			id := f.awaitAction()
			action := f.get("/api/v1/pending_actions", access.RightRead).object(t)["pending_actions"].([]any)[0].(map[string]any)
			require.Equal(t, []any{id, "run_powershell", "ls", "/w", map[string]any{"script": "ls"}}, []any{action["action_id"],
				action["tool"], action["script"], action["base_dir"], action["args"]})
			a := f.human("/api/v1/confirm/"+id, c.body)
			require.Equal(t, http.StatusOK, a.status, string(a.body))
			require.Equal(t, []any{"ok", id, c.decision, c.edited, action["ticket"]}, []any{a.object(t)["status"],
				a.object(t)["action_id"], a.object(t)["decision"], a.object(t)["edited"], a.object(t)["ticket"]})
			require.Equal(t, "DONE: listed.", (<-done).object(t)["text"])
			approved := recorded[events.ToolApproved](f)
			if c.ran == "" {
				require.Empty(t, approved)
				return
			}
			require.Len(t, approved, 1)
			require.JSONEq(t, c.ran, string(approved[0].Args))
			require.Equal(t, http.StatusConflict, f.human("/api/v1/confirm/"+id, `{"approved":true}`).status, "it is settled")
		})
	}
}

func TestAConfirmationThatCannotCountAnswersNothing(t *testing.T) {
	t.Parallel()
	f := crew(t, nil, `{"script":"ls"}`)
	f.human("/api/mma/workers/spawn", `{"prompt":"mend it"}`)
	id := f.awaitAction()
	require.Equal(t, http.StatusBadRequest, f.human("/api/v1/confirm/"+id,
		`{"approved":true,"script":"a","args":{"script":"b"}}`).status)
	require.Equal(t, http.StatusBadRequest, f.human("/api/v1/confirm/"+id, `{"approved":true,"script":7}`).status)
	require.Equal(t, http.StatusBadRequest, f.human("/api/v1/confirm/"+id, `{"approved":false,"approved":true}`).status,
		"said twice")
	require.Equal(t, http.StatusUnprocessableEntity, f.human("/api/v1/confirm/"+id,
		`{"approved":true,"args":{"script":7}}`).status)
	require.Equal(t, http.StatusNotFound, f.human("/api/v1/confirm/nobody", `{"approved":true}`).status)
	require.Equal(t, http.StatusNotFound, f.human("/api/v1/confirm/"+strings.Repeat("x", events.MaxIDLength+1),
		`{"approved":true}`).status)
	require.Equal(t, http.StatusForbidden, f.post("/api/v1/confirm/"+id, access.RightRead, `{"approved":true}`).status)
	require.Empty(t, recorded[events.ToolApproved](f))
	require.Len(t, f.get("/api/v1/pending_actions", access.RightRead).object(t)["pending_actions"], 1)
}

func TestGenerateOverItsTimeGivesTheTicketAndIsJoinedAgain(t *testing.T) {
	t.Parallel()
	f := crew(t, nil, `{"script":"ls"}`, "DONE: listed.")
	a := f.human("/api/v1/generate", `{"prompt":"mend it","request_id":"r-1","timeout_s":0.05}`)
	require.Equal(t, http.StatusGatewayTimeout, a.status, string(a.body))
	ticket := a.object(t)["ticket"]
	id := f.awaitAction()
	f.stop() // the gateway goes; another one on the same log goes on
	g := reopened(f)
	done := g.background(g.request(http.MethodPost, "/api/v1/generate", access.RightHuman,
		`{"prompt":"mend it","request_id":"r-1"}`))
	require.Equal(t, http.StatusConflict, g.human("/api/v1/generate",
		`{"prompt":"mend it well","request_id":"r-1"}`).status)
	require.Equal(t, http.StatusOK, g.human("/api/v1/confirm/"+id, `{"approved":true}`).status)
	got := (<-done).object(t)
	require.Equal(t, []any{ticket, "DONE: listed.", "r-1"}, []any{got["ticket"], got["text"], got["request_id"]})
	again := g.human("/api/v1/generate", `{"prompt":"mend it","request_id":"r-1"}`)
	require.JSONEq(t, string(mustJSON(t, got)), string(again.body), "what is done is answered at once, and the same")
	require.Len(t, recorded[events.WorkerSpawnRequested](f), 1)
}

// reopened is another gateway on the log of one that stopped.
func reopened(f *fixture) *fixture {
	f.t.Helper()
	return openEmpty(f.t, func(c *core.Config) {
		c.Log, c.PersonLog, c.AgentLog, c.Models = f.log, f.own, f.own, openModels(f.t, f.log, 1000)
	})
}

func (f *fixture) own(string) events.Log { return f.log }

func mustJSON(t *testing.T, v any) []byte {
	t.Helper()
	b, err := json.Marshal(v)
	require.NoError(t, err)
	return b
}

func TestGenerateEndsWithTheGateway(t *testing.T) {
	t.Parallel()
	f := crew(t, nil, silence)
	done := f.background(f.request(http.MethodPost, "/api/v1/generate", access.RightHuman, `{"prompt":"mend it"}`))
	f.awaitWorkers(func(w projections.Workers) bool { return len(w.Active) == 1 && w.Active[0].Request != "" })
	f.stop()
	a := <-done
	require.Equal(t, http.StatusServiceUnavailable, a.status)
	require.NotEmpty(t, a.object(t)["ticket"])
}

func TestGenerateEndsWithItsClientAndTheWorkerGoesOn(t *testing.T) {
	t.Parallel()
	f := crew(t, nil, silence)
	ctx, leave := context.WithCancel(t.Context())
	done := f.background(f.request(http.MethodPost, "/api/v1/generate", access.RightHuman,
		`{"prompt":"mend it"}`).WithContext(ctx))
	f.awaitWorkers(func(w projections.Workers) bool { return len(w.Active) == 1 && w.Active[0].Request != "" })
	leave()
	<-done
	f.expect("HookCalled", func(e events.Event) bool { return strings.Contains(string(e.Data), "/api/v1/generate") })
	require.Len(t, f.get("/api/mma/workers", access.RightRead).object(t)["active"], 1)
}

func TestGenerateRefusesWhatItWouldNotHonour(t *testing.T) {
	t.Parallel()
	f := crew(t, nil)
	for _, body := range []string{
		`{"prompt":"x","temperature":0.3}`, `{"prompt":"x","max_tokens":7}`, `{"prompt":"x","timeout_s":0}`,
		`{"prompt":"x","timeout_s":-1}`,
		`{"prompt":"x","timeout_s":301}`, `{"prompt":"x","timeout_s":"1"}`, `{"prompt":""}`,
	} {
		require.Equal(t, http.StatusBadRequest, f.human("/api/v1/generate", body).status, body)
	}
	for _, right := range []access.Right{access.RightAsk, access.RightRead} {
		require.Equal(t, http.StatusForbidden, f.post("/api/v1/generate", right, `{"prompt":"x"}`).status)
	}
	require.Empty(t, recorded[events.WorkerSpawnRequested](f))
}

func TestGenerateHasSoManyPlaces(t *testing.T) {
	t.Parallel()
	f := crewIn(openEmpty(t, limited(func(l *request.Limits) { l.Waiting = 1 })), nil, silence)
	ctx, leave := context.WithCancel(t.Context())
	done := f.background(f.request(http.MethodPost, "/api/v1/generate", access.RightHuman,
		`{"prompt":"mend it"}`).WithContext(ctx))
	f.awaitWorkers(func(w projections.Workers) bool { return len(w.Active) == 1 })
	a := f.human("/api/v1/generate", `{"prompt":"mend it"}`)
	require.Equal(t, http.StatusServiceUnavailable, a.status)
	require.Equal(t, "1", a.header.Get("Retry-After"))
	require.Len(t, recorded[events.WorkerSpawnRequested](f), 1)
	leave()
	<-done
}

// frames reads server-sent events up to the one that ends the feed.
func frames(t *testing.T, resp *http.Response) (kinds []string, bodies []map[string]any) {
	t.Helper()
	lines := bufio.NewScanner(resp.Body)
	kind := ""
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "event":
			kind = value
		case "data":
			var body map[string]any
			require.NoError(t, json.Unmarshal([]byte(value), &body))
			kinds, bodies = append(kinds, kind), append(bodies, body)
		}
	}
	require.NoError(t, lines.Err())
	return kinds, bodies
}

func TestTheStreamOfAWorkerTellsEverythingUpToItsEnd(t *testing.T) {
	t.Parallel()
	f := crew(t, nil, `{"script":"ls"}`, "DONE: listed.")
	go func() {
		_ = f.models.Await(f.t.Context(), session, func(s *projections.Set) bool { return len(s.OpenAsks()) == 1 })
		_, _ = f.trySend(f.request(http.MethodPost, "/api/asks/tool/respond", access.RightHuman, `{"response":true}`))
	}()
	resp, err := f.client.Do(f.request(http.MethodPost, "/api/v1/stream", access.RightHuman, `{"prompt":"mend it"}`))
	require.NoError(t, err)
	defer resp.Body.Close()
	require.Equal(t, "text/event-stream", resp.Header.Get("Content-Type"))
	kinds, bodies := frames(t, resp)
	require.Equal(t, []string{"worker", "state", "state", "state", "state", "text", "call", "ask", "answer", "call",
		"call", "state", "text", "state", "end"}, kinds)
	ticket := bodies[0]["ticket"].(string)
	last := bodies[len(bodies)-1]
	require.Equal(t, []any{"DONE: listed.", "completed", ticket}, []any{last["text"], last["outcome"], last["ticket"]})

	again, err := f.client.Do(f.request(http.MethodGet, "/api/v1/stream?ticket="+ticket, access.RightRead, ""))
	require.NoError(t, err)
	defer again.Body.Close()
	same, _ := frames(t, again)
	require.Equal(t, kinds, same, "it can be read again")
	req := f.request(http.MethodGet, "/api/v1/stream?ticket="+ticket, access.RightRead, "")
	req.Header.Set("Last-Event-ID", fmt.Sprint(recordedAt(f, "ToolSettled")))
	rest, err := f.client.Do(req)
	require.NoError(t, err)
	defer rest.Body.Close()
	tail, _ := frames(t, rest)
	require.Equal(t, []string{"worker", "state", "text", "state", "end"}, tail, "from where the client was")
	require.Equal(t, http.StatusNotFound, f.get("/api/v1/stream?ticket=T-9", access.RightRead).status)
	require.Equal(t, http.StatusNotFound, f.get("/api/v1/stream", access.RightRead).status)
}

func TestTheStreamOfAWorkerEndsWithTheGateway(t *testing.T) {
	t.Parallel()
	f := crewIn(openEmpty(t, limited(func(l *request.Limits) { l.FeedsPerClient = 1 })), nil, silence)
	resp, err := f.client.Do(f.request(http.MethodPost, "/api/v1/stream", access.RightHuman, `{"prompt":"mend it"}`))
	require.NoError(t, err)
	defer resp.Body.Close()
	f.awaitWorkers(func(w projections.Workers) bool { return len(w.Active) == 1 && w.Active[0].Request != "" })
	require.Equal(t, http.StatusTooManyRequests, f.human("/api/v1/stream", `{"prompt":"mend it"}`).status)
	require.Equal(t, http.StatusBadRequest, f.human("/api/v1/stream?since=999999", `{"prompt":"mend it"}`).status)
	require.Len(t, recorded[events.WorkerSpawnRequested](f), 1, "who gets no feed gets no worker")
	go f.stop()
	kinds, bodies := frames(t, resp)
	require.Equal(t, "disconnected", kinds[len(kinds)-1])
	require.Equal(t, "the gateway is stopping", bodies[len(bodies)-1]["reason"])
}

func recordedAt(f *fixture, typ string) uint64 {
	return f.expect(typ, func(events.Event) bool { return true }).Seq
}

func TestHealthNeedsNoTokenAndTellsNothing(t *testing.T) {
	t.Parallel()
	f := open(t)
	a := f.get("/health", access.RightNone)
	require.Equal(t, http.StatusOK, a.status)
	require.JSONEq(t, `{"status":"ok"}`, string(a.body))
	require.Empty(t, a.header.Get("Server"))
}

func TestToolsAndSessionsOfTheHeadlessService(t *testing.T) {
	t.Parallel()
	f := crew(t, nil)
	require.Equal(t, "run_powershell", f.get("/api/v1/tools", access.RightRead).object(
		t)["tools"].([]any)[0].(map[string]any)["name"])
	require.Equal(t, f.get("/api/sessions", access.RightRead).object(t), f.get("/api/v1/sessions",
		access.RightRead).object(t))
}

func TestAnAPIKeyIsAToken(t *testing.T) {
	t.Parallel()
	f := open(t)
	ask := func(change func(http.Header)) int {
		req := f.request(http.MethodGet, "/api/v1/tools", access.RightNone, "")
		change(req.Header)
		return f.send(req).status
	}
	read, human := f.token(access.RightRead), f.token(access.RightHuman)
	require.Equal(t, http.StatusOK, ask(func(h http.Header) { h.Set("X-API-KEY", read) }))
	require.Equal(t, http.StatusOK, ask(func(h http.Header) { h.Set("x-api-key", human) }))
	require.Equal(t, http.StatusForbidden, ask(func(h http.Header) { h.Set("X-API-KEY", f.token(access.RightAsk)) }))
	for name, change := range map[string]func(http.Header){
		"wrong":           func(h http.Header) { h.Set("X-API-KEY", read+"x") },
		"empty":           func(h http.Header) { h.Set("X-API-KEY", "") },
		"a scheme":        func(h http.Header) { h.Set("X-API-KEY", "Bearer "+read) },
		"twice":           func(h http.Header) { h.Add("X-API-KEY", read); h.Add("X-API-KEY", read) },
		"both":            func(h http.Header) { h.Set("X-API-KEY", read); h.Set("Authorization", "Bearer "+read) },
		"both, one wrong": func(h http.Header) { h.Set("X-API-KEY", "x"); h.Set("Authorization", "Bearer "+read) },
		"both, one empty": func(h http.Header) { h.Set("X-API-KEY", ""); h.Set("Authorization", "Bearer "+read) },
	} {
		require.Equal(t, http.StatusUnauthorized, ask(change), name)
	}
	foreign := f.request(http.MethodPost, "/api/v1/generate", access.RightNone, `{"prompt":"x"}`)
	foreign.Header.Set("X-API-KEY", human)
	foreign.Header.Set("Origin", "http://evil.example")
	require.Equal(t, http.StatusForbidden, f.send(foreign).status, "a key opens no other door")
}

func TestGenerateIsToldThatTheConductorRefusedItLate(t *testing.T) {
	t.Parallel()
	f := open(t, limited(func(l *request.Limits) { l.SettleWait = 10 * time.Millisecond }))
	done := f.background(f.request(http.MethodPost, "/api/v1/generate", access.RightHuman,
		`{"prompt":"mend it","request_id":"r-1"}`))
	asked := f.expect("WorkerSpawnRequested", func(events.Event) bool { return true })
	joined := f.human("/api/mma/workers/spawn", `{"prompt":"mend it","request_id":"r-1"}`)
	require.Equal(t, http.StatusAccepted, joined.status)
	f.put(events.ActorConductor, events.ControlRefused{Request: asked.ID, Kind: "WorkerSpawnRequested",
		Ticket: events.WorkerTicket(asked.ID), Reason: "there are enough"})
	a := <-done
	require.Equal(t, http.StatusConflict, a.status, string(a.body))
	require.Equal(t, "there are enough", a.object(t)["error"])
}

func TestAnEndOfTimeIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	f := crewIn(openEmpty(t, limited(func(l *request.Limits) { l.Generate = 20 * time.Millisecond })), nil, silence)
	a := f.human("/api/v1/generate", `{"prompt":"mend it"}`)
	require.Equal(t, http.StatusGatewayTimeout, a.status)
	require.Contains(t, a.object(t)["error"], "20ms")
}
