package hookgw_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/status"
	"manualslop/projections/live"
	"manualslop/projections/projectionstest"
)

const health = "/api/gui_health"

// staffed says that every role is there.
func staffed(c *core.Config) {
	c.Roles = func() (present, missing []string) { return []string{"approval", "worker-h-1"}, nil }
}

func TestHealthHasExactlyTheKeysOfTheOriginal(t *testing.T) {
	t.Parallel()
	f := open(t, staffed)
	require.Equal(t, `{"healthy":true,"degraded_reason":null,"last_assert":null,"io_pool_alive":true}`+"\n",
		string(f.get(health, access.RightRead).body))
	require.Equal(t, http.StatusUnauthorized, f.get(health, access.RightNone).status)
}

func TestHealthSaysWhatIsMissing(t *testing.T) {
	t.Parallel()
	f := open(t, func(c *core.Config) {
		c.Roles = func() (present, missing []string) { return []string{"approval"}, []string{"conductor", "worker"} }
	})
	f.put(events.ActorConductor, events.SessionStalled{Decider: "conductor", Reason: "no such version"})
	got := f.get(health, access.RightRead).object(t)
	require.Equal(t, false, got["healthy"])
	require.Equal(t, false, got["io_pool_alive"])
	require.Contains(t, got["degraded_reason"], "conductor, worker")
	require.Contains(t, got["degraded_reason"], "no such version")
	require.Contains(t, got["last_assert"], "no such version")
}

func TestAReadModelThatStopsIsSaidAndTheRestGoesOn(t *testing.T) {
	t.Parallel()
	f := open(t, staffed, func(c *core.Config) {
		models, err := live.Open(t.Context(), c.Log, project, live.Options{Models: projectionstest.Breaking("session",
			projectionstest.On("GoalSubmitted"))})
		require.NoError(t, err)
		t.Cleanup(func() { _ = models.Close() })
		c.Models = models
	})
	require.Equal(t, http.StatusOK, f.get("/api/session", access.RightRead).status)
	goal := f.put(person, events.GoalSubmitted{Goal: "Mend"})
	a := f.get("/api/session", access.RightRead)
	require.Equal(t, http.StatusServiceUnavailable, a.status)
	require.Contains(t, a.object(t)["error"], "session stopped at event 2 (GoalSubmitted): broken on purpose")
	require.EqualValues(t, 2, goal.Seq)
	require.Equal(t, http.StatusOK, f.get("/api/gui/mma_status", access.RightRead).status)
	require.Equal(t, http.StatusOK, f.get("/api/events", access.RightHuman).status)
	require.Equal(t, http.StatusOK, f.post("/api/gui", access.RightHuman,
		`{"action":"push_event","event_type":"note","payload":{}}`).status, "writes go on")
	got := f.get(health, access.RightRead).object(t)
	require.Equal(t, false, got["healthy"])
	require.Contains(t, got["last_assert"], "broken on purpose")
	feed, _ := f.feed("/api/stream")
	snapshot := feed.telling()
	for snapshot.event != "snapshot" {
		snapshot = feed.telling()
	}
	require.Contains(t, snapshot.data, `"session":null`)
	require.Contains(t, snapshot.data, "broken on purpose")
	require.Contains(t, snapshot.data, `"mma_status":{`)
	require.Equal(t, `{"thinking":false,"live":false,"prior":false}`+"\n",
		string(f.get("/api/gui/diagnostics", access.RightRead).body))
}

func TestWhileTheBusIsAwayEverythingSaysSoAndComesBackByItself(t *testing.T) {
	t.Parallel()
	link := &relinked{}
	f := open(t, staffed, func(c *core.Config) { c.Bus = link })
	before := len(recorded[events.HookCalled](f))
	link.away.Store(true)
	for path, right := range map[string]access.Right{"/api/gui/mma_status": access.RightRead,
		"/api/session": access.RightRead, "/api/events": access.RightHuman} {
		a := f.get(path, right)
		require.Equal(t, http.StatusServiceUnavailable, a.status, path)
		require.Contains(t, a.object(t)["error"], "connection refused")
	}
	require.Equal(t, http.StatusServiceUnavailable, f.post("/api/session", access.RightHuman,
		`{"session":{"entries":[]}}`).status)
	require.Equal(t, http.StatusUnauthorized, f.get("/api/session", access.RightNone).status,
		"who may not look is not told")
	for _, path := range []string{"/status", "/health"} {
		require.Equal(t, http.StatusOK, f.get(path, access.RightNone).status)
	}
	for _, path := range []string{"/api/warmup_status", "/api/warmup_canaries", "/api/shutdown"} {
		require.NotContains(t, string(f.get(path, access.RightHuman).body), "connection refused", path)
	}
	got := f.get(health, access.RightRead).object(t)
	require.Equal(t, false, got["healthy"])
	require.Contains(t, got["degraded_reason"], "connection refused")
	link.away.Store(false)
	require.Equal(t, http.StatusOK, f.get("/api/session", access.RightRead).status)
	require.Empty(t, recorded[events.DiscussionChanged](f), "what was refused was not done")
	require.Len(t, recorded[events.HookCalled](f), before, "and nobody waited to put it on record")
}

func TestWhileTheDiskIsFullHealthSaysSo(t *testing.T) {
	t.Parallel()
	link := &relinked{}
	f := open(t, staffed, func(c *core.Config) { c.Bus = link })
	link.full.Store(true)
	got := f.get(health, access.RightRead).object(t)
	require.Equal(t, false, got["healthy"])
	require.Contains(t, got["degraded_reason"], "the disk is full")
	require.Equal(t, http.StatusOK, f.get("/api/session", access.RightRead).status, "reads go on")
	link.full.Store(false)
	require.Equal(t, true, f.get(health, access.RightRead).object(t)["healthy"])
}

func TestHealthSaysWhatRequestsWaitFor(t *testing.T) {
	t.Parallel()
	var call events.Event
	f := open(t, staffed, func(c *core.Config) {
		c.Delays = func() map[uint64]string { return map[uint64]string{call.Seq: events.NeedsNewer + ": ToolApproved"} }
	})
	due := time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC)
	f.put(events.ActorContributor, events.ModelRequested{StreamID: "s", Ticket: "T-1", Tier: 3, Attempt: 2,
		NotBefore: &due})
	f.put(events.ActorApproval, events.AskRaised{Ask: "q", Gate: events.GateTool, ExpiresAt: &due})
	call = f.put(events.ActorApproval, events.ToolApproved{Call: "c", Tool: "read_file", Generation: 1})
	f.put(events.ActorApproval, events.ToolApproved{Call: "done", Tool: "read_file", Generation: 1})
	f.put("worker-h-1", events.ToolSettled{Call: "done", Tool: "read_file", Outcome: events.ToolDone, Generation: 1})
	var got status.OpenRequests
	require.NoError(t, json.Unmarshal(f.get("/api/requests", access.RightRead).body, &got))
	require.Len(t, got.Requests, 3)
	require.Equal(t, "its next attempt, not before 2030-01-02T03:04:05Z", got.Requests[0].WaitsFor)
	require.Equal(t, "an answer; it expires at 2030-01-02T03:04:05Z", got.Requests[1].WaitsFor)
	require.Equal(t, "needs a newer program: ToolApproved", got.Requests[2].WaitsFor)
	health := f.get(health, access.RightRead).object(t)
	require.Equal(t, false, health["healthy"])
	require.Contains(t, health["degraded_reason"], "a request needs a newer program: ToolApproved")
}
