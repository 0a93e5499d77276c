package hookgw_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/program"
	"manualslop/hookgw/wire"
)

// host is a program that the test says everything about.
type host struct {
	performance wire.Performance
	reported    chan wire.Frame
	refuses     error
	telemetry   wire.HostTelemetry
	startup     []wire.StartupTask
	started     chan struct{}
	scope       string
	looked      atomic.Int32 // at whether the start is over
	stopped     atomic.Int32
}

func newHost() *host {
	return &host{reported: make(chan wire.Frame, 16), started: make(chan struct{}), scope: events.ShutdownEngine}
}

func (h *host) Performance() wire.Performance { return h.performance }
func (h *host) Report(_ context.Context, f wire.Frame) error {
	if h.refuses == nil {
		h.reported <- f
	}
	return h.refuses
}
func (h *host) Telemetry() wire.HostTelemetry { return h.telemetry }
func (h *host) Startup() []wire.StartupTask   { return h.startup }
func (h *host) Started() <-chan struct{} {
	h.looked.Add(1)
	return h.started
}
func (h *host) Scope() string { return h.scope }
func (h *host) Shutdown()     { h.stopped.Add(1) }

// in is a gateway inside a program.
func in(h *host) func(*core.Config) { return func(c *core.Config) { c.Host = h } }

func TestPerformanceIsNullWhereNobodyMeasures(t *testing.T) {
	t.Parallel()
	got := open(t).get("/api/performance", access.RightRead)
	require.Equal(t, http.StatusOK, got.status)
	figures, ok := got.object(t)["performance"].(map[string]any)
	require.True(t, ok)
	for _, key := range []string{"fps", "last_frame_time_ms", "frame_time_ms", "input_lag_ms", "front_end", "cpu_percent",
		"memory_bytes", "goroutines", "events_per_s", "projection_lag", "queue_depth"} {
		value, there := figures[key]
		require.True(t, there, key)
		require.Nil(t, value, key)
	}
}

func TestAReportOfAFrontEndIsPassedOnAndNotRecorded(t *testing.T) {
	t.Parallel()
	h := newHost()
	f := open(t, in(h))
	got := f.post("/api/performance", access.RightHuman, `{"name":"console","fps":59.9,"input_lag_ms":0}`)
	require.Equal(t, http.StatusOK, got.status, string(got.body))
	require.JSONEq(t, `{"status":"ok"}`, string(got.body))
	fps, lag := 59.9, 0.0
	require.Equal(t, wire.Frame{Name: "console", FPS: &fps, InputLagMS: &lag}, <-h.reported)
	f.stop()
	require.Empty(t, recorded[events.HookCalled](f), "a signal is never stored")
}

func TestAHostileReportIsRefusedAndRecorded(t *testing.T) {
	t.Parallel()
	h := newHost()
	f := open(t, in(h))
	for _, body := range []string{
		`{"fps":NaN}`, `{"fps":Infinity}`, `{"fps":"60"}`, `{"fps":-0.1}`, `{"fps":1000000.1}`, `{"fps":1e999}`,
		`{"input_lag_ms":-1}`, `{"frame_time_ms":1e7}`,
		`{}`, `{"name":"a"}`, `{"fps":null}`, `{"fps":60,"cpu_percent":1}`, `{"fps":60,"name":"a b"}`, `{"fps":60,"name":"` +
			strings.Repeat("a", events.MaxToken+1) + `"}`, `[60]`,
	} {
		got := f.post("/api/performance", access.RightHuman, body)
		require.Equal(t, http.StatusBadRequest, got.status, body)
		require.NotEmpty(t, got.object(t)["hint"], body)
	}
	require.Empty(t, h.reported)
	require.Equal(t, http.StatusOK, f.post("/api/performance", access.RightHuman, `{"fps":1000000,"name":"`+
		strings.Repeat("a", events.MaxToken)+`"}`).status)
	for _, weak := range []access.Right{access.RightRead, access.RightAsk} {
		require.Equal(t, http.StatusForbidden, f.post("/api/performance", weak, `{"fps":60}`).status)
	}
	f.stop()
	require.NotEmpty(t, recorded[events.HookCalled](f))
}

func TestOneFrontEndTooManyIsToldSo(t *testing.T) {
	t.Parallel()
	h := newHost()
	h.refuses = fmt.Errorf("panel: %w", program.ErrFrontEnds)
	require.Equal(t, http.StatusTooManyRequests, open(t, in(h)).post("/api/performance", access.RightHuman,
		`{"fps":1}`).status)
	require.Equal(t, http.StatusNotImplemented, open(t).post("/api/performance", access.RightHuman, `{"fps":1}`).status)
}

func TestTelemetryCountsReadsByRouteAndStatus(t *testing.T) {
	t.Parallel()
	f := open(t)
	for range 3 {
		f.get("/api/asks", access.RightRead)
	}
	f.get("/api/asks?state=odd", access.RightRead)
	f.get("/api/asks", access.RightNone)
	f.get("/made/up/1", access.RightRead)
	f.get("/made/up/2", access.RightRead)
	var got struct {
		Requests []struct {
			Method, Path string
			Status       int
			Count        uint64
		}
	}
	require.NoError(t, json.Unmarshal(f.get("/api/system/telemetry", access.RightRead).body, &got))
	lines := map[string]uint64{}
	for _, r := range got.Requests {
		lines[fmt.Sprint(r.Method, r.Path, r.Status)] = r.Count
	}
	require.Equal(t, map[string]uint64{"GET/api/asks200": 3, "GET/api/asks400": 1, "GET/api/asks401": 1, "404": 2}, lines)
}

func TestTelemetryTellsWhatWaitsAndWhatIsInUse(t *testing.T) {
	t.Parallel()
	h := newHost()
	lag := uint64(7)
	h.performance.ProjectionLag = &lag
	h.telemetry = wire.HostTelemetry{
		Version: "slop 1", Process: &wire.ProcessFigures{Name: "gateway", Threads: 9, Goroutines: 99},
		Bus: &wire.BusFigures{Messages: 5, Pools: []wire.PoolFigures{{Name: "models", Waiting: 1}, {Name: "tools", Waiting: 2,
			Running: 3}}},
	}
	f := open(t, in(h), func(c *core.Config) {
		c.Roles = func() ([]string, []string) { return []string{"gateway"}, []string{"worker"} }
		c.Limits.Waiting, c.Limits.Conns = 12, 34
	})
	f.put(events.ActorLead, events.ModelRequested{StreamID: "Tier 2", Tier: 2, Provider: "script", Model: "m"})
	waits := f.background(f.request(http.MethodPost, "/api/ask", access.RightAsk, `{"question":"go on?"}`))
	f.expect("AskPosted", func(events.Event) bool { return true })
	f.put(events.ActorApproval, events.AskRaised{Ask: "a1", Gate: events.GateHTTP})

	got := f.get("/api/system/telemetry", access.RightRead).object(t)
	queues, ok := got["queues"].(map[string]any)
	require.True(t, ok)
	require.Equal(t, session, queues["session"])
	require.EqualValues(t, 1, queues["asks_open"])
	require.Equal(t, map[string]any{"open": 1.0, "limit": 12.0}, queues["asks_waiting"])
	require.EqualValues(t, 1, queues["model_requests_pending"])
	require.EqualValues(t, 2, queues["tools_waiting"])
	require.EqualValues(t, 1, queues["models_waiting"])
	require.Equal(t, map[string]any{"os": 9.0, "goroutines": 99.0}, got["threads"])
	require.Equal(t, map[string]any{"present": []any{"gateway"}, "missing": []any{"worker"}}, got["roles"])
	models, ok := got["projections"].(map[string]any)
	require.True(t, ok)
	require.EqualValues(t, 7, models["lag"])
	require.EqualValues(t, 4, models["position"])
	gateway, ok := got["gateway"].(map[string]any)
	require.True(t, ok)
	require.Equal(t, map[string]any{"open": 2.0, "limit": 34.0}, gateway["connections"])
	require.Equal(t, "slop 1", got["version"])
	f.stop()
	<-waits
}

func TestMetricsAreTheSameFiguresAsText(t *testing.T) {
	t.Parallel()
	h := newHost()
	h.telemetry = wire.HostTelemetry{
		Processes: []wire.ProcessFigures{{Name: "worker-a-1", Host: "a", PID: 1, CPUPercent: 50},
			{Name: "worker-a-1", Host: "b", PID: 1}},
		Bus: &wire.BusFigures{Bytes: 5, Pools: []wire.PoolFigures{{Name: "tools", Waiting: 2}}},
	}
	f := open(t, in(h), func(c *core.Config) {
		c.Roles = func() ([]string, []string) { return []string{"gateway"}, []string{"worker"} }
	})
	f.get("/api/asks", access.RightRead)
	got := f.get("/metrics", access.RightRead)
	require.Equal(t, http.StatusOK, got.status)
	require.Contains(t, got.header.Get("Content-Type"), "text/plain")
	for _, line := range []string{
		`slop_process_cpu_ratio{actor="worker-a-1",host="a",pid="1"} 0.5`, `slop_queue_depth{queue="pool_tools"} 2`,
		`slop_log_bytes 5`,
		`slop_role_present{role="worker"} 0`, `slop_hook_requests_total{method="GET",path="/api/asks",status="200"} 1`,
		`slop_gateway_limit{what="feeds"}`,
	} {
		require.Contains(t, string(got.body), line)
	}
	require.NotContains(t, string(got.body), "slop_projection_lag", "nobody measures it")
	require.Equal(t, http.StatusUnauthorized, f.get("/metrics", access.RightNone).status)
	require.NotContains(t, string(open(t).get("/metrics", access.RightRead).body), "slop_log_bytes")
}

func TestTelemetryHasEveryKeyWithoutABus(t *testing.T) {
	t.Parallel()
	got := openEmpty(t).get("/api/system/telemetry", access.RightRead)
	require.Equal(t, http.StatusOK, got.status)
	o := got.object(t)
	for _, key := range []string{"process", "bus"} {
		value, there := o[key]
		require.True(t, there, key)
		require.Nil(t, value, key)
	}
	for _, key := range []string{"processes", "background_tasks", "front_ends", "requests"} {
		require.Equal(t, []any{}, o[key], key)
	}
}

func TestStartupIsShownWhileItGoesOnAndWaitedFor(t *testing.T) {
	t.Parallel()
	h := newHost()
	one, two, took, why := 100.0, 101.5, 1500.0, "no disk"
	h.startup = []wire.StartupTask{
		{CanaryID: "canary-1", Module: "bus", SubmitTS: 100, StartTS: &one, EndTS: &two, ElapsedMS: &took,
			Status: wire.StartupCompleted},
		{CanaryID: "canary-2", Module: "worker", SubmitTS: 100, StartTS: &one, Status: wire.StartupRunning},
		{CanaryID: "canary-3", Module: "session", SubmitTS: 100, Status: wire.StartupPending},
		{CanaryID: "canary-4", Module: "logs", SubmitTS: 100, StartTS: &one, EndTS: &one, Status: wire.StartupFailed,
			Error: &why},
	}
	f := open(t, in(h))
	status := func(done bool) string {
		return fmt.Sprintf(`{"pending":["worker","session"],"completed":["bus"],"failed":["logs"],"running":["worker"],"done":%t,"elapsed_ms":1500}`, done)
	}
	require.JSONEq(t, status(false), string(f.get("/api/warmup_status", access.RightRead).body))
	require.JSONEq(t, status(false), string(f.get("/api/warmup_wait?timeout=0.01", access.RightRead).body))
	waits := f.background(f.request(http.MethodGet, "/api/warmup_wait", access.RightRead, ""))
	close(h.started)
	require.JSONEq(t, status(true), string((<-waits).body))

	var tasks []map[string]any
	require.NoError(t, json.Unmarshal(f.get("/api/warmup_canaries", access.RightRead).body, &tasks))
	require.Len(t, tasks, 4)
	require.Equal(t, map[string]any{"canary_id": "canary-3", "module": "session", "thread_name": "", "thread_id": 0.0,
		"submit_ts": 100.0,
		"start_ts":  nil, "end_ts": nil, "elapsed_ms": nil, "status": "pending", "error": nil}, tasks[2])
}

func TestAWaitForTheStartIsBounded(t *testing.T) {
	t.Parallel()
	h := newHost()
	f := open(t, in(h))
	for _, odd := range []string{"NaN", "-1", "300.1", "Inf", "soon", "1e99"} {
		require.Equal(t, http.StatusBadRequest, f.get("/api/warmup_wait?timeout="+odd, access.RightRead).status, odd)
	}
	waits := f.background(f.request(http.MethodGet, "/api/warmup_wait?timeout=300", access.RightRead, ""))
	require.Eventually(t, func() bool { return h.looked.Load() > 0 }, eventstest.Patience, time.Millisecond)
	f.stop() // ends the wait
	require.Equal(t, http.StatusOK, (<-waits).status)
}

// eventsPatience bounds what a test waits for.

func TestShutdownIsOnRecordAnsweredAndThenObeyed(t *testing.T) {
	t.Parallel()
	h := newHost()
	f := open(t, in(h), func(c *core.Config) {
		c.Masker = func(b []byte) []byte { return []byte(strings.ReplaceAll(string(b), "s3cret", "[hidden]")) }
	})
	for range 2 {
		got := f.post("/api/shutdown", access.RightHuman, `{"reason":"s3cret plans"}`)
		require.Equal(t, http.StatusOK, got.status)
		o := got.object(t)
		require.Equal(t, "ok", o["status"])
		require.Equal(t, events.ShutdownEngine, o["stops"])
		require.Equal(t, true, o["recorded"])
	}
	f.stop()
	require.EqualValues(t, 2, h.stopped.Load())
	require.Equal(t, events.ShutdownRequested{Scope: events.ShutdownEngine, PID: os.Getpid(), Reason: "[hidden] plans"},
		recorded[events.ShutdownRequested](f)[0])
}

func TestShutdownNeedsThePerson(t *testing.T) {
	t.Parallel()
	h := newHost()
	f := open(t, in(h))
	for right, status := range map[access.Right]int{access.RightNone: http.StatusUnauthorized,
		access.RightRead: http.StatusForbidden, access.RightAsk: http.StatusForbidden} {
		require.Equal(t, status, f.post("/api/shutdown", right, `{}`).status, right)
	}
	require.Equal(t, http.StatusBadRequest, f.post("/api/shutdown", access.RightHuman, `{"reason":1}`).status)
	require.Equal(t, http.StatusRequestEntityTooLarge, f.post("/api/shutdown", access.RightHuman, `{"reason":"`+
		strings.Repeat("a", 4097)+`"}`).status)
	require.Zero(t, h.stopped.Load())
	require.Equal(t, http.StatusNotImplemented, open(t).post("/api/shutdown", access.RightHuman, `{}`).status)
	require.Equal(t, http.StatusOK, f.post("/api/shutdown", access.RightHuman, `{"reason":"`+strings.Repeat("a", 4096)+
		`"}`).status)
}

func TestAGatewayThatRunsAloneSaysThatOnlyItEnds(t *testing.T) {
	t.Parallel()
	h := newHost()
	h.scope = events.ShutdownGateway
	o := openEmpty(t, in(h)).post("/api/shutdown", access.RightHuman, `{}`).object(t)
	require.Equal(t, events.ShutdownGateway, o["stops"])
	require.Contains(t, o["hint"], "Only this gateway")
	require.Equal(t, false, o["recorded"], "there is no session to put it into")
}

// deaf is a log that takes nothing.
type deaf struct{ events.Log }

// Append fails.
func (deaf) Append(context.Context, events.Event, *events.Expect) (uint64, error) {
	return 0, errors.New("no bus")
}

func TestADeadLogDoesNotKeepTheProgramFromEnding(t *testing.T) {
	t.Parallel()
	h := newHost()
	f := open(t, in(h), func(c *core.Config) { c.PersonLog = func(string) events.Log { return deaf{c.Log} } })
	got := f.post("/api/shutdown", access.RightHuman, `{}`)
	require.Equal(t, http.StatusOK, got.status)
	require.Equal(t, false, got.object(t)["recorded"])
	f.stop()
	require.EqualValues(t, 1, h.stopped.Load())
}

func TestStatusSaysThatAnEngineWithoutASessionIsStarting(t *testing.T) {
	t.Parallel()
	f := openEmpty(t, func(c *core.Config) { c.OpensSession = true })
	a := f.get("/status", access.RightNone)
	require.Equal(t, http.StatusServiceUnavailable, a.status)
	require.Equal(t, "1", a.header.Get("Retry-After"))
	f.put(person, events.SessionOpened{Folder: "20260102_030405"})
	a = f.get("/status", access.RightNone)
	require.Equal(t, http.StatusOK, a.status)
	require.JSONEq(t, `{"status":"ok"}`, string(a.body))
}
