package hookgw_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/request"
	"manualslop/projections"
)

func (f *fixture) human(path, body string) answer { return f.post(path, access.RightHuman, body) }

func TestASpawnedWorkerShowsUntilItIsDone(t *testing.T) {
	t.Parallel()
	f := crew(t, nil, silence)
	a := f.human("/api/mma/workers/spawn",
		`{"prompt":"mend it","context":["a.go"],"target_file":"b.go","model":"m9","priority":"high"}`)
	require.Equal(t, http.StatusOK, a.status, string(a.body))
	ticket := a.object(t)["ticket"].(string)
	require.Equal(t, map[string]any{"status": "ok", "ticket": ticket, "worker_uid": ticket, "track": "TR-" + ticket,
		"stream_id": "Tier 3 (Worker): " + ticket, "joined": false}, a.object(t))
	f.awaitWorkers(func(w projections.Workers) bool { return len(w.Active) == 1 && w.Active[0].Request != "" })
	var got struct{ Active []map[string]any }
	require.NoError(t, json.Unmarshal(f.get("/api/mma/workers", access.RightRead).body, &got))
	w := got.Active[0]
	require.Equal(t, []any{ticket, "running", "model", "m9", "script", "contributor"}, []any{w["worker_uid"], w["status"],
		w["waits_for"], w["model"], w["provider"], w["role"]})
	for _, key := range []string{"tier", "attempt", "round", "stream_id", "text_tail", "calls", "asks", "trace",
		"started_at", "usage"} {
		require.Contains(t, w, key)
	}
	spawned := recorded[events.WorkerSpawnRequested](f)
	require.Equal(t, []events.WorkerSpawnRequested{{Prompt: "mend it", Context: []string{"a.go"}, TargetFile: "b.go",
		Model: "m9", Priority: "high"}}, spawned)
}

func TestAKilledWorkerIsAtRest(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"worker_uid", "worker_id", "uid", "ticket", "ticket_id"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := crew(t, nil, silence)
			ticket := f.human("/api/mma/workers/spawn", `{"prompt":"mend it"}`).object(t)["ticket"].(string)
			f.awaitWorkers(func(w projections.Workers) bool { return len(w.Active) == 1 && w.Active[0].Status == "running" })
			a := f.human("/api/mma/workers/kill", fmt.Sprintf(`{%q:%q}`, name, ticket))
			require.Equal(t, http.StatusOK, a.status, string(a.body))
			require.Equal(t, []any{"ok", ticket, "blocked", "killed by ada"}, []any{a.object(t)["status"],
				a.object(t)["worker_uid"], a.object(t)["state"], a.object(t)["reason"]})
			f.awaitWorkers(func(w projections.Workers) bool { return len(w.Active) == 0 && w.Finished[0].Status == "killed" })
			require.Equal(t, http.StatusConflict, f.human("/api/mma/workers/kill", fmt.Sprintf(`{%q:%q}`, name, ticket)).status)
		})
	}
}

func TestAKillThatNamesNobodyIsRefused(t *testing.T) {
	t.Parallel()
	f := crew(t, nil)
	for _, body := range []string{`{}`, `{"worker_uid":""}`, `{"worker_uid":7}`, `{"worker_uid":"a","ticket":"b"}`,
		`{"worker_uid":"tier1:x"}`, `{"worker":"x"}`} {
		require.Equal(t, http.StatusBadRequest, f.human("/api/mma/workers/kill", body).status, body)
	}
	require.Empty(t, recorded[events.KillRequested](f))
	a := f.human("/api/mma/workers/kill", `{"worker_uid":"T-9","ticket":"T-9"}`)
	require.Equal(t, http.StatusConflict, a.status)
	require.Equal(t, "there is no such ticket", a.object(t)["error"])
}

func TestASpawnIsRepeatedSafely(t *testing.T) {
	t.Parallel()
	f := crew(t, nil, silence)
	body := `{"prompt":"mend it","request_id":"r-1"}`
	var wg sync.WaitGroup
	answers := make([]answer, 16)
	for i := range answers {
		wg.Go(func() {
			answers[i], _ = f.trySend(f.request(http.MethodPost, "/api/mma/workers/spawn", access.RightHuman, body))
		})
	}
	wg.Wait()
	joined := 0
	for _, a := range answers {
		require.Equal(t, http.StatusOK, a.status, string(a.body))
		require.Equal(t, answers[0].object(t)["ticket"], a.object(t)["ticket"])
		if a.object(t)["joined"] == true {
			joined++
		}
	}
	require.Equal(t, len(answers)-1, joined)
	require.Len(t, recorded[events.TicketsAdded](f), 1)

	other := f.human("/api/mma/workers/spawn", `{"prompt":"mend something else","request_id":"r-1"}`)
	require.Equal(t, http.StatusConflict, other.status)
	require.Equal(t, answers[0].object(t)["ticket"], other.object(t)["ticket"])
}

func TestASpawnOverALimitIsRefusedAndNotRecorded(t *testing.T) {
	t.Parallel()
	f := crew(t, nil)
	spawn := func(v any) int {
		body, err := json.Marshal(v)
		require.NoError(t, err)
		return f.human("/api/mma/workers/spawn", string(body)).status
	}
	paths := make([]string, events.MaxWorkerContext+1)
	for i := range paths {
		paths[i] = fmt.Sprint("p", i)
	}
	for name, body := range map[string]map[string]any{
		"prompt":            {"prompt": strings.Repeat("x", events.MaxWorkerPrompt+1)},
		"prompt and text":   {"prompt": "x", "context": strings.Repeat("x", events.MaxWorkerPrompt)},
		"number of paths":   {"prompt": "x", "context": paths},
		"length of a path":  {"prompt": "x", "context": []string{strings.Repeat("x", events.MaxPathLength+1)}},
		"length of a model": {"prompt": "x", "model": strings.Repeat("x", events.MaxModelName+1)},
	} {
		require.Equal(t, http.StatusRequestEntityTooLarge, spawn(body), name)
	}
	for name, body := range map[string]map[string]any{
		"no prompt": {}, "a blank prompt": {"prompt": " "}, "a number": {"prompt": 7}, "an unknown member": {"prompt": "x",
			"temperature": 1},
		"a priority": {"prompt": "x", "priority": "urgent"}, "no context": {"prompt": "x", "context": 7},
		"an empty path":       {"prompt": "x", "context": []string{""}},
		"an empty request id": {"prompt": "x", "request_id": ""}, "a control character": {"prompt": "x",
			"request_id": "a\nb"},
		"a long request id": {"prompt": "x", "request_id": strings.Repeat("x", events.MaxIDLength+1)},
	} {
		require.Equal(t, http.StatusBadRequest, spawn(body), name)
	}
	require.Empty(t, recorded[events.WorkerSpawnRequested](f))
	require.Equal(t, http.StatusOK, spawn(map[string]any{"prompt": strings.Repeat("x", events.MaxWorkerPrompt),
		"context": paths[1:]}))
}

func TestASpawnThatNobodyAnswersIsAccepted(t *testing.T) {
	t.Parallel()
	f := open(t, limited(func(l *request.Limits) { l.SettleWait = 10 * time.Millisecond }))
	a := f.human("/api/mma/workers/spawn", `{"prompt":"mend it","request_id":"r-1"}`)
	require.Equal(t, http.StatusAccepted, a.status)
	require.NotEmpty(t, a.object(t)["ticket"])
	again := f.human("/api/mma/workers/spawn", `{"prompt":"mend it","request_id":"r-1"}`)
	require.Equal(t, a.object(t)["ticket"], again.object(t)["ticket"])
	require.Len(t, recorded[events.WorkerSpawnRequested](f), 1)
}

func TestThePipelineIsPausedAndResumed(t *testing.T) {
	t.Parallel()
	f := crew(t, nil, silence)
	ticket := f.human("/api/mma/workers/spawn", `{"prompt":"mend it"}`).object(t)["ticket"]
	f.awaitWorkers(func(w projections.Workers) bool { return len(w.Active) == 1 && w.Active[0].Status == "running" })
	for _, c := range []struct {
		path            string
		paused, changed bool
	}{{"resume", false, false}, {"pause", true, true}, {"pause", true, false}, {"resume", false, true}} {
		a := f.human("/api/mma/pipeline/"+c.path, `{}`)
		require.Equal(t, http.StatusOK, a.status, string(a.body))
		require.Equal(t, map[string]any{"status": "ok", "paused": c.paused, "changed": c.changed, "running": []any{ticket}},
			a.object(t))
	}
	require.Len(t, recorded[events.PauseRequested](f), 1)
	require.Equal(t, http.StatusBadRequest, f.human("/api/mma/pipeline/pause", `{"x":1}`).status)
}

func TestTheGraphIsChangedByTolerantSpellings(t *testing.T) {
	t.Parallel()
	f := crew(t, func(s *events.Settings) { s.MaxWorkers, s.Roster = 1, aRoster() }, silence)
	first := f.human("/api/mma/workers/spawn", `{"prompt":"mend it","persona":"mine"}`).object(t)
	track := first["track"].(string)
	mutate := func(body string) map[string]any {
		t.Helper()
		a := f.human("/api/mma/dag/mutate", body)
		require.Equal(t, http.StatusOK, a.status, "%s: %s", body, a.body)
		return a.object(t)
	}
	mutate(fmt.Sprintf(`{"op":"add_ticket","id":"A","track":%q,"description":"do A"}`, track))
	mutate(`{"action":"add_ticket","ticket_id":"B","prompt":"do B","depends_on":["A"],"priority":"LOW","context":["a.go"]}`)
	mutate(fmt.Sprintf(`{"ops":[{"op":"create_ticket","ticket":"C","track_id":%q,"description":"do C"},{"op":"add","ticket":"C","depends_on":["A","B"]}]}`, track))
	got := mutate(`{"action":"remove","ticket_id":"C","dependency":"B"}`)
	require.Equal(t, []any{"A"}, got["tickets"].([]any)[0].(map[string]any)["depends_on"])
	got = mutate(`{"action":"set_dependencies","ticket":"C","depends_on":"B"}`)
	require.Equal(t, []any{"B"}, got["tickets"].([]any)[0].(map[string]any)["depends_on"])
	require.Len(t, got["ops"], 2)
	got = mutate(`{"op":"set_priority","ticket":"B","priority":"high"}`)
	require.Equal(t, "high", got["tickets"].([]any)[0].(map[string]any)["priority"])
	mutate(`{"op":"set_model","ticket":"B","model_override":"m7"}`)
	mutate(`{"op":"set_step_mode","ticket":"B","step_mode":true}`)
	got = mutate(`{"op":"set_description","ticket":"B","description":"do it otherwise"}`)
	require.Equal(t, "do it otherwise", got["tickets"].([]any)[0].(map[string]any)["description"])
	for body, want := range map[string]any{`{"op":"set_persona","ticket":"B","persona":"mine"}`: "mine",
		`{"op":"set_persona","ticket":"A","persona_id":""}`: nil} {
		require.Equal(t, want, mutate(body)["tickets"].([]any)[0].(map[string]any)["persona_id"])
	}
	got = mutate(fmt.Sprintf(`{"op":"add_ticket","id":"P","track":%q,"description":"do P","persona":"mine"}`, track))
	require.Equal(t, "mine", got["tickets"].([]any)[0].(map[string]any)["persona_id"])
	mutate(`{"op":"remove_ticket","ticket":"P"}`)
	got = mutate(`{"op":"remove_ticket","ticket":"C"}`)
	require.Empty(t, got["tickets"])
	status := f.get("/api/gui/mma_status", access.RightRead).object(t)
	require.Equal(t, track, status["active_track"])
	var ids []string
	for _, x := range status["active_tickets"].([]any) {
		ids = append(ids, x.(map[string]any)["id"].(string))
	}
	require.Equal(t, []string{first["ticket"].(string), "A", "B"}, ids)
}

func TestAChangeThatCannotBeTellsWhy(t *testing.T) {
	t.Parallel()
	f := crew(t, func(s *events.Settings) { s.MaxWorkers, s.Roster = 1, aRoster() }, silence)
	track := f.human("/api/mma/workers/spawn", `{"prompt":"mend it"}`).object(t)["track"].(string)
	require.Equal(t, http.StatusOK, f.human("/api/mma/dag/mutate",
		fmt.Sprintf(`{"ops":[{"op":"add_ticket","ticket":"A","track":%q,"description":"a"},{"op":"add_ticket","ticket":"B","description":"b","depends_on":"A"}]}`, track)).status)
	for body, want := range map[string]string{
		`{"op":"set_persona","ticket":"A","persona":"eve"}`:                                                         "operation 1 (set_persona): there is no persona eve; this session has mine",
		`{"op":"add_ticket","ticket":"E","description":"e","depends_on":"A","persona":"eve"}`:                       "operation 1 (add_ticket): there is no persona eve; this session has mine",
		`{"op":"add","ticket":"A","dependency":"B"}`:                                                                "operation 1 (add_dependency): the dependencies would form a cycle: A → B → A",
		`{"ops":[{"op":"set_priority","ticket":"A","priority":"high"},{"op":"add","ticket":"A","dependency":"Z"}]}`: "operation 2 (add_dependency): there is no ticket Z",
		`{"op":"set_dependencies","ticket":"Z","depends_on":["A"]}`:                                                 "operation 1: no ticket Z",
		`{"op":"set_dependencies","ticket":"B","depends_on":["A"]}`:                                                 "operation 1: the ticket already has these dependencies",
	} {
		a := f.human("/api/mma/dag/mutate", body)
		require.Equal(t, http.StatusConflict, a.status, "%s: %s", body, a.body)
		require.Equal(t, want, a.object(t)["error"])
	}
	require.Len(t, recorded[events.GraphMutated](f), 1)
	said := len(recorded[events.GraphMutationRequested](f))
	for _, body := range []string{
		`{}`, `{"ops":[]}`, `{"ops":7}`, `{"ops":[7]}`, `{"op":"paint","ticket":"A"}`, `{"op":"add","ticket":"A"}`,
		`{"op":"add","action":"remove","ticket":"A","dependency":"B"}`,
		`{"op":"set_priority","ticket":"A","priority":"urgent"}`, `{"op":"add","ticket":"A","dependency":"B","weight":3}`,
		`{"op":"add","ticket":"A","depends_on":7}`,
		`{"op":"remove_ticket"}`, `{"op":"add_ticket","ticket":"D"}`, `{"ops":[],"op":"add"}`,
	} {
		require.Equal(t, http.StatusBadRequest, f.human("/api/mma/dag/mutate", body).status, body)
	}
	many := `{"ops":[` + strings.Join(slices.Repeat([]string{`{"op":"set_priority","ticket":"A","priority":"low"}`},
		events.MaxGraphOps+1), ",") + `]}`
	require.Equal(t, http.StatusRequestEntityTooLarge, f.human("/api/mma/dag/mutate", many).status)
	require.Len(t, recorded[events.GraphMutationRequested](f), said)
}
