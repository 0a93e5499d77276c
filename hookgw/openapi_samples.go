package hookgw

import "manualslop/hookgw/request"

// sample is an example of a route's bodies in the OpenAPI document.
type sample struct {
	route        string // method and pattern
	takes, gives string // JSON; empty: none
}

// samplesOfRoutes returns the samples whose form the documents of Manual Slop show.
func samplesOfRoutes() []sample {
	const status = `{"mma_status": "executing", "ai_status": "sending...", "active_tier": "Tier 3", "active_track": "track-1", "active_tickets": [], "mma_step_mode": false, ` +
		`"pending_tool_approval": false, "pending_mma_step_approval": false, "pending_mma_spawn_approval": false, "pending_approval": false, "pending_spawn": false, ` +
		`"tracks": [], "proposed_tracks": [], "mma_streams": {"Tier 1": "Epic planned."}}`
	const indicators = `{"thinking": false, "live": false, "prior": false}`
	const entries = `{"session": {"entries": [{"role": "User", "content": "Add a parser.", "collapsed": false}]}}`
	return []sample{
		{"GET /status", "", request.FixedOK},
		{"GET /health", "", request.FixedOK},
		{"GET /mma_status", "", status},
		{"GET /api/mma_status", "", status},
		{"GET /api/gui/mma_status", "", status},
		{"GET /diagnostics", "", `{"thinking": true, "live": false, "prior": false, "fps": 59.9, "last_frame_time_ms": 16.7, ` +
			`"frame_time_ms": 16.7, "input_lag_ms": 8, "front_end": "", "cpu_percent": 12.5, "memory_bytes": 64000000, ` +
			`"heap_bytes": 20000000, "goroutines": 80, "threads": 12, "uptime_s": 60, "processes": 1, ` +
			`"events_per_s": 3, "projection_lag": 0, "queue_depth": 0}`},
		{"GET /api/gui/diagnostics", "", indicators},
		{"GET /api/session", "", entries},
		{"POST /api/session", entries, request.FixedUpdated},
		{"POST /api/project", `{"project": {"project": {"name": "demo"}}}`, request.FixedUpdated},
		{"POST /api/gui", `{"action": "set_value", "item": "current_provider", "value": "gemini"}`, request.FixedQueued},
		{"GET /api/gui/value", "", `{"value": "gemini"}`},
		{"GET /api/gui/value/{tag}", "", `{"value": "gemini"}`},
		{"GET /api/events", "", `{"events": [], "through": 42}`},
		{"POST /api/ask", `{"type": "tool_approval", "tool": "run_powershell", "args": {"script": "ls"}}`,
			`{"status": "ok", "response": {"approved": true}}`},
		{"POST /api/ask/respond", `{"request_id": "4b1c9a52-0d3e-4f6a-8f2b-6f0c3f1f7a11", "response": {"approved": true}}`,
			request.FixedOK},
		{"GET /api/project_switch_status", "",
			`{"in_progress": false, "pending_path": "", "active_path": "demo.toml", "error": ""}`},
		{"GET /api/gui_health", "", `{"healthy": true, "degraded_reason": null, "last_assert": null, "io_pool_alive": true}`},
		{"GET /api/warmup_canaries", "",
			`[{"canary_id": "1", "module": "bus", "thread_name": "serve", "thread_id": 4242, "submit_ts": 1767323045.5, ` +
				`"start_ts": 1767323045.5, "end_ts": 1767323045.75, "elapsed_ms": 250, "status": "completed", "error": null}]`},
		{"POST /api/goal", `{"goal": "Add a parser."}`, ""},
		{"POST /api/control", `{"action": "kill", "ticket": "T-001"}`, `{"status": "ok"}`},
	}
}
