package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

func TestServeSaysWhereItIsWorksAndLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoFiles)
	script := s.script(onePlan(edits("a.txt", "one", "ONE"), says("DONE: done")))
	r := s.start("serve", "--json", "--yes", "--script", script)
	r.sees("\n")
	var ready map[string]any
	require.NoError(t, json.Unmarshal([]byte(r.out.String()), &ready))
	e := s.engine()
	require.Equal(t, map[string]any{"ready": true, "hooks": e.Hooks, "nats": nil, "tokens": e.Tokens,
		"session": e.Session}, ready)
	require.Equal(t, r.cmd.Process.Pid, e.PID)
	for _, private := range []string{s.data("run.json"), filepath.Join(e.Tokens, "human.token"), filepath.Join(e.Tokens,
		"ask.token"), filepath.Join(e.Tokens, "read.token")} {
		info, err := os.Stat(private)
		require.NoError(t, err)
		require.Equal(t, os.FileMode(0o600), info.Mode().Perm(), private)
	}
	s.exercise()
	require.NoError(t, r.cmd.Process.Signal(syscall.SIGTERM))
	require.Zero(t, r.wait())
	require.NoFileExists(t, s.data("run.json"))
	require.Equal(t, "ONE\n", s.read("a.txt"))
	require.Contains(t, s.fails(1, "pause"), "no engine is running here")

	again := s.start("serve", "--json", "--script", script, "--nats-listen", "127.0.0.1:0")
	again.sees("\n")
	require.NoError(t, json.Unmarshal([]byte(again.out.String()), &ready))
	require.Equal(t, e.Session, ready["session"], "a session that was not closed goes on")
	require.Equal(t, s.engine().NATS, ready["nats"])
}

// exercise gives the engine a goal, holds it up, lets it go on and follows it
// to its end.
func (s *site) exercise() {
	s.t.Helper()
	status, _ := s.post("/api/control", `{"action":"pause"}`)
	require.Equal(s.t, http.StatusOK, status)
	status, got := s.post("/api/goal", `{"goal":"edit"}`)
	require.Equal(s.t, http.StatusOK, status)
	require.NotEmpty(s.t, got["goal"])
	watch := s.start("watch", "--json")
	watch.sees(`"type":"TicketReady"`)
	require.NotContains(s.t, watch.out.String(), "TicketStarted")
	status, _ = s.post("/api/control", `{"action":"resume"}`)
	require.Equal(s.t, http.StatusOK, status)
	watch.sees(`"type":"GoalCompleted"`)
	for _, line := range lines(watch.out.String()) {
		var e events.Event
		require.NoError(s.t, json.Unmarshal([]byte(line), &e), "%s", line)
	}
}
