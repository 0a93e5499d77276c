package main

import (
	"encoding/json"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
)

func TestShutdownEndsAnEngineInOrderAndItsSessionGoesOn(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoFiles)
	script := s.script(onePlan(edits("a.txt", "one", "ONE"), says("DONE: done")))
	r, conn := s.serve("--yes", "--script", script)
	before := s.engine()
	status, got := s.post("/api/shutdown", `{"reason":"enough"}`)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "ok", got["status"])
	require.Equal(t, events.ShutdownEngine, got["stops"])
	require.Equal(t, true, got["recorded"])
	require.Zero(t, r.wait())
	require.NoFileExists(t, s.data("run.json"))
	conn.Close()

	_, conn = s.serve("--yes", "--script", script)
	require.Equal(t, before.Session, s.engine().Session, "the session stays open")
	words := eventstest.All(t, conn, events.Filter{Session: before.Session, Type: "ShutdownRequested"})
	require.Len(t, words, 1)
	require.Equal(t, person, words[0].Actor)
	require.Equal(t, events.ShutdownRequested{Scope: events.ShutdownEngine, PID: before.PID, Reason: "enough"},
		words[0].Payload)
}

func TestShutdownEndsARunWithoutBlame(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoFiles)
	r := s.start("run", "--wait", "--script", s.script(onePlan(edits("a.txt", "one", "ONE"), says("DONE: done"))), "edit")
	r.sees("edit_file") // it asks
	status, _ := s.post("/api/shutdown", `{}`)
	require.Equal(t, http.StatusOK, status)
	require.Zero(t, r.wait())
	require.Contains(t, r.err.String(), "`slop run --resume --script ")
	require.Equal(t, "one\n", s.read("a.txt"), "what nobody approved did not happen")
}

func TestShutdownOfAGatewayAloneLeavesTheOtherProcesses(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoFiles)
	b := s.start("bus", "--json", "--nats-listen", "127.0.0.1:0")
	b.sees("\n")
	var where struct{ NATS string }
	require.NoError(t, json.Unmarshal([]byte(b.out.String()), &where))
	role := func(name string, args ...string) *running {
		r := s.start(append([]string{name, "--json", "--nats", where.NATS, "--creds", s.data("keys/" + name + ".json")},
			args...)...)
		r.sees("\n")
		return r
	}
	worker := role("worker")
	gateway := role("gateway", "--listen", "127.0.0.1:0")
	s.measures(3)
	status, got := s.post("/api/performance", `{"fps":60}`)
	require.Equal(t, http.StatusOK, status, got)
	require.InDelta(t, 60, s.performance()["fps"], 0)

	status, got = s.post("/api/shutdown", `{}`)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, events.ShutdownGateway, got["stops"])
	require.Zero(t, gateway.wait())
	role("gateway", "--listen", "127.0.0.1:0")
	s.measures(3)
	require.NoError(t, worker.cmd.Process.Signal(os.Interrupt), "it runs still")
	require.Zero(t, worker.wait())
}

// measures waits until so many processes of the program show themselves.
func (s *site) measures(processes float64) {
	s.t.Helper()
	require.Eventually(s.t, func() bool { return s.performance()["processes"] == processes }, patience,
		50*time.Millisecond)
}

// performance reads the performance read model.
func (s *site) performance() map[string]any {
	s.t.Helper()
	var got struct{ Performance map[string]any }
	require.NoError(s.t, json.Unmarshal(s.get("/api/performance"), &got))
	return got.Performance
}
