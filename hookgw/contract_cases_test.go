package hookgw_test

import (
	"net/http"

	"manualslop/events"
)

// Keys of answers that the original's documents print, in their order.
const (
	mmaKeys = "mma_status ai_status active_tier active_track active_tickets mma_step_mode pending_tool_approval " +
		"pending_mma_step_approval " +
		"pending_mma_spawn_approval pending_approval pending_spawn tracks proposed_tracks mma_streams"
	indicatorKeys   = "thinking live prior"
	switchKeys      = "in_progress pending_path active_path error"
	healthKeys      = "healthy degraded_reason last_assert io_pool_alive"
	performanceKeys = "fps last_frame_time_ms frame_time_ms input_lag_ms front_end cpu_percent memory_bytes heap_bytes " +
		"goroutines threads uptime_s processes " +
		"events_per_s projection_lag queue_depth"
)

// contractCases are those of every route, by method and pattern.
func contractCases() map[string][]contractCase {
	all := map[string][]contractCase{}
	for _, group := range []map[string][]contractCase{readCases(), originalCases(), askCases(), teamCases(),
		documentCases()} {
		for name, cases := range group { // order-independent: names do not meet
			all[name] = append(all[name], cases...)
		}
	}
	return all
}

// readCases are the reads whose shape only the OpenAPI document fixes.
func readCases() map[string][]contractCase {
	out := map[string][]contractCase{}
	for _, path := range []string{
		"/api/context/state", "/api/context/presets", "/api/curation", "/api/discussions", "/api/discussions/entries",
		"/api/discussions/export", "/api/discussions/turns", "/api/gui", "/api/gui/state", "/api/gui/token_stats",
		"/api/mma/workers", "/api/metrics/financial", "/api/project/document", "/api/system/telemetry", "/api/warmup_status",
		"/api/warmup_wait", "/api/v1/tools",
		"/api/v1/pending_actions", "/metrics", "/openapi.json", "/openapi.yaml", "/api/stream",
	} {
		out["GET "+path] = []contractCase{{}}
	}
	out["GET /api/requests"] = []contractCase{{keys: "requests"}}
	out["GET /api/changes"] = []contractCase{{exact: `{"files":[],"unseen":[]}` + "\n"}}
	out["GET /api/ask/rule"] = []contractCase{{path: "/api/ask/rule?request_id=x", status: http.StatusServiceUnavailable,
		keys: "error hint"}}
	out["GET /api/context/preview"] = []contractCase{{path: "/api/context/preview?text=x",
		status: http.StatusServiceUnavailable, keys: "error hint"}, {path: "/api/context/preview?tier=x",
		status: http.StatusBadRequest, keys: "error hint"}}
	out["GET /api/latencies"] = []contractCase{{exact: `{"latencies":[]}` + "\n"}}
	out["GET /api/settings"] = []contractCase{{}}
	out["GET /api/tickets"] = []contractCase{{exact: `{"tracks":[],"tickets":[]}` + "\n"}}
	out["GET /api/spans"] = []contractCase{{exact: `{"spans":[],"older":0}` + "\n"},
		{path: "/api/spans?limit=x", status: http.StatusBadRequest, keys: "error hint"}}
	out["GET /api/console/signins"] = []contractCase{{exact: `{"signins":[]}` + "\n"}}
	out["GET /api/overview"] = []contractCase{{}, {path: "/api/overview?at=1"}}
	out["GET /api/conversation"] = []contractCase{{path: "/api/conversation?worker=T-1",
		keys: "worker attempt attempts older rounds"}, {status: http.StatusBadRequest, keys: "error hint"}}
	out["GET /api/changes/diff"] = []contractCase{{path: "/api/changes/diff?path=x", status: http.StatusNotFound,
		keys: "error hint"}}
	out["GET /api/calls/{call}"] = []contractCase{{path: "/api/calls/x", status: http.StatusNotFound, keys: "error hint"},
		{path: "/api/calls/c1", before: func(f *fixture) { f.write("c1", "T-001", "a.go", "", "d1") }}}
	out["GET /api/log/{seq}"] = []contractCase{{path: "/api/log/1", keys: "seq event"},
		{path: "/api/log/404", status: http.StatusNotFound, keys: "error hint"}}
	out["GET /api/mcp"] = []contractCase{{exact: `{"servers":[],"notices":[]}` + "\n"}}
	out["GET /api/roles"] = []contractCase{{exact: `{"present":["approval","worker-h-1"],"missing":[]}` + "\n"}}
	out["GET /api/sessions"] = []contractCase{{keys: "current sessions"}}
	out["GET /api/timeline"] = []contractCase{{keys: "rows through dropped"}, {path: "/api/timeline?limit=x", status: 400}}
	out["GET /api/v1/sessions"] = []contractCase{{keys: "current sessions"}}
	out["GET /api/v1/stream"] = []contractCase{{path: "/api/v1/stream?ticket=T-404", status: http.StatusNotFound,
		keys: "error hint"}}
	out["GET /api/search"] = []contractCase{{path: "/api/search?q=x", status: http.StatusServiceUnavailable,
		keys: "error hint"}}
	out["GET /ws"] = []contractCase{{status: http.StatusUpgradeRequired, keys: "error hint"}}
	out["GET /api/blobs/{sha256}"] = []contractCase{
		{path: "/api/blobs/" + events.Digest([]byte("body")), exact: "body"}, {path: "/api/blobs/x",
			status: http.StatusNotFound, keys: "error hint"},
	}
	return out
}

// originalCases are those that the original's documents spell out.
func originalCases() map[string][]contractCase {
	ok, updated := contractCase{exact: `{"status": "ok"}`}, `{"status": "updated"}`
	mma, indicators := []contractCase{{keys: mmaKeys}},
		[]contractCase{{exact: `{"thinking":false,"live":false,"prior":false}` + "\n"}}
	return map[string][]contractCase{
		"GET /status":              {ok},
		"GET /health":              {ok},
		"GET /api/gui/mma_status":  mma,
		"GET /api/mma_status":      mma,
		"GET /mma_status":          mma,
		"GET /api/gui/diagnostics": indicators,
		"GET /diagnostics":         {{keys: indicatorKeys + " " + performanceKeys}},
		"GET /api/project":         {{keys: "project"}},
		"POST /api/project": {{body: `{"project":{"project":{"name":"x"}}}`, exact: updated},
			{body: `{}`, status: http.StatusBadRequest, keys: "error hint"}},
		"GET /api/session": {{exact: `{"session":{"entries":[]}}` + "\n"}},
		"POST /api/session": {{body: `{"session":{"entries":[]}}`, exact: updated}, {body: `{"session":7}`,
			status: http.StatusBadRequest, keys: "error hint"}},
		"GET /api/performance":  {{keys: "performance", under: map[string]string{"performance": performanceKeys}}},
		"POST /api/performance": {{body: `{"fps":60}`}},
		"GET /api/events":       {{exact: `{"events":[],"through":0}` + "\n"}},
		"GET /api/gui/value": {{path: "/api/gui/value?tag=current_provider", keys: "value"},
			{path: "/api/gui/value?tag=nothing", exact: `{"value":null}` + "\n"}},
		"GET /api/gui/value/{tag}":       {{path: "/api/gui/value/nothing", exact: `{"value":null}` + "\n"}},
		"POST /api/gui":                  {{body: `{"action":"anything","x":[1]}`, exact: `{"status": "queued"}`}},
		"GET /api/project_switch_status": {{keys: switchKeys}},
		"GET /api/gui_health": {
			{exact: `{"healthy":true,"degraded_reason":null,"last_assert":null,"io_pool_alive":true}` + "\n", keys: healthKeys}},
		"GET /api/warmup_canaries": {
			{exact: `[{"canary_id":"1","module":"bus","thread_name":"serve","thread_id":0,"submit_ts":0,"start_ts":null,"end_ts":null,"elapsed_ms":null,` +
				`"status":"pending","error":null}]` + "\n"}},
	}
}

// askCases put and answer questions.
func askCases() map[string][]contractCase {
	yes, ok := `{"request_id":"r1","response":true}`, `{"status": "ok"}`
	return map[string][]contractCase{
		"GET /api/asks": {{keys: "asks"}, {path: "/api/asks?state=all", before: answered, keys: "asks"},
			{path: "/api/asks?state=x", status: http.StatusBadRequest}},
		"GET /api/inbox":            {{keys: "asks blocked"}, {before: asked(events.GateTool), keys: "asks blocked"}},
		"GET /":                     {{}},
		"GET /console/enter":        {{}},
		"GET /console/app.js":       {{}},
		"GET /console/app.css":      {{}},
		"POST /api/console/link":    {{body: `{}`, keys: "url expires"}},
		"POST /api/console/login":   {{body: `{"code":"x"}`, status: http.StatusForbidden}},
		"POST /api/console/logout":  {{body: `{}`, exact: ok}},
		"POST /api/console/signout": {{body: `{"id":"x"}`, status: http.StatusNotFound, keys: "error hint"}},
		"GET /api/asks/{gate}": {{path: "/api/asks/tool", before: asked(events.GateTool), keys: "gate asks"},
			{path: "/api/asks/x", status: http.StatusNotFound}},
		"POST /api/asks/{gate}/respond": {
			{path: "/api/asks/tool/respond", before: asked(events.GateTool), body: `{"response":true}`, exact: ok},
			{path: "/api/asks/step/respond", before: asked(events.GateTool), body: yes, status: http.StatusConflict,
				keys: "error hint"},
			{path: "/api/asks/spawn/respond", body: `{"response":true}`, status: http.StatusNotFound, keys: "error hint"},
		},
		// the others stand below
		"POST /api/ask": {{body: `{"request_id":""}`, status: http.StatusBadRequest, keys: "error hint"}},
		"POST /api/ask/preview": {{body: `{"request_id":"r1","args":{}}`, status: http.StatusServiceUnavailable,
			keys: "error hint"}},
		"POST /api/ask/respond": {
			{before: asked(events.GateTool), body: yes, exact: ok}, {body: yes, status: http.StatusNotFound, keys: "error hint"},
			{before: answered, body: yes, status: http.StatusConflict, keys: "error hint settled_by settled_at outcome"},
		},
		"POST /api/v1/confirm/{action_id}": {{path: "/api/v1/confirm/r1", body: `{"approved":true}`,
			status: http.StatusNotFound, keys: "error hint"}},
	}
}

// teamCases tell the team what to do; nobody is there to do it.
func teamCases() map[string][]contractCase {
	const accepted = http.StatusAccepted
	return map[string][]contractCase{
		"POST /api/goal":             {{body: `{"goal":"Mend it"}`, keys: "status goal"}},
		"POST /api/undo":             {{body: `{"ticket":"T-1"}`, status: accepted, keys: "status hint"}},
		"POST /api/changes/accept":   {{body: `{"path":"a.go"}`, status: http.StatusNotFound, keys: "error hint"}},
		"POST /api/sessions/close":   {{body: `{}`, exact: `{"status":"ok"}` + "\n"}},
		"POST /api/sessions/upgrade": {{body: `{}`, exact: `{"status":"ok","changed":false}` + "\n"}},
		"POST /api/control": {{body: `{"action":"step_mode","on":true}`, exact: `{"status":"ok"}` + "\n"},
			{body: `{"action":"pause"}`, status: accepted, keys: "status hint"}},
		"POST /api/mma/workers/spawn":   {{body: `{"prompt":"Mend it"}`, status: accepted}},
		"POST /api/mma/workers/kill":    {{body: `{"worker_uid":"T-1"}`, status: accepted}},
		"POST /api/mma/pipeline/pause":  {{body: `{}`, status: accepted}},
		"POST /api/mma/pipeline/resume": {{body: `{}`}},
		"POST /api/mma/dag/mutate":      {{body: `{"op":"add_ticket","ticket":"A","description":"a"}`, status: accepted}},
		"POST /api/v1/generate": {{body: `{"prompt":"Mend it"}`, status: http.StatusGatewayTimeout,
			keys: "error hint ticket"}},
		"POST /api/v1/stream":    {{body: `{"prompt":"Mend it"}`}},
		"POST /api/shutdown":     {{body: `{"reason":"done"}`, keys: "status stops pid recorded hint"}},
		"POST /api/logs/star":    {{body: `{"on":true}`, exact: `{"status":"ok"}` + "\n"}},
		"POST /api/logs/restore": {{body: `{}`, status: http.StatusConflict, keys: "error hint"}},
	}
}

// documentCases edit discussions, the project and the context.
func documentCases() map[string][]contractCase {
	preset := func(f *fixture) { f.says("/api/context/presets/save", `{"name":"p","files":["a.go"]}`, http.StatusOK) }
	second := func(f *fixture) { f.says("/api/discussions/create", `{"name":"b"}`, http.StatusOK) }
	missing := func(body string) []contractCase {
		return []contractCase{{body: body, status: http.StatusNotFound, keys: "error hint"}}
	}
	return map[string][]contractCase{
		"POST /api/context/inject": {{body: `{"path":"a.go"}`, status: http.StatusAccepted,
			keys: "status request hint"}},
		"POST /api/context/slices": {{body: `{"path":"a.go","start_line":1,"end_line":2}`,
			status: http.StatusServiceUnavailable, keys: "error hint"}},
		"POST /api/context/rescan":         {{body: `{}`, keys: "status tracked skipped"}},
		"POST /api/context/presets/save":   {{body: `{"name":"p","files":["a.go"]}`}},
		"POST /api/context/presets/load":   {{body: `{"name":"p"}`, before: preset}},
		"POST /api/context/presets/delete": {{body: `{"name":"p"}`, before: preset}},
		"POST /api/curation/undo":          {{body: `{}`, before: second, keys: "status step position"}},
		"POST /api/curation/redo":          {{body: `{}`, status: http.StatusConflict, keys: "error hint"}},
		"POST /api/discussions/create":     {{body: `{"name":"b"}`, keys: "status name"}},
		"POST /api/discussions/branch":     {{body: `{}`, keys: "status name"}},
		"POST /api/discussions/open": {{body: `{"ticket":"gone"}`, status: http.StatusConflict,
			keys: "error hint"}},
		"POST /api/discussions/switch":  {{body: `{"name":"b"}`, before: second}},
		"POST /api/discussions/promote": missing(`{"name":"gone"}`),
		"POST /api/discussions/rename":  {{body: `{"name":"b","to":"c"}`, before: second}},
		"POST /api/discussions/delete":  {{body: `{"name":"b"}`, before: second}},
		"POST /api/discussions/compact": {{body: `{"keep":0}`, status: http.StatusConflict, keys: "error hint"},
			{body: `{"keep":-1}`, status: http.StatusBadRequest, keys: "error hint"}},
		"POST /api/discussions/send": {{body: `{"text":"hello"}`,
			keys: "status discussion turn entry stream_id"}},
		"POST /api/discussions/roles":          {{body: `{"roles":["User","AI"]}`}},
		"POST /api/discussions/entries/add":    {{body: `{"content":"hello"}`}},
		"POST /api/discussions/entries/edit":   missing(`{"entry":"gone","content":"x"}`),
		"POST /api/discussions/entries/delete": missing(`{"entry":"gone"}`),
		"POST /api/discussions/import": {
			{body: `{"toml":"{\"active\":\"main\",\"discussions\":{\"main\":{\"entries\":[]}},\"roles\":[\"User\"]}"}`}},
		"POST /api/mcp/restart":    missing(`{"name":"gone"}`),
		"POST /api/project/switch": {{body: `{"path":"demo.toml"}`}},
		"POST /api/project/load":   {{body: `{"path":"demo.toml"}`}},
		"POST /api/project/save":   {{body: `{"path":"other.toml"}`}},
	}
}
