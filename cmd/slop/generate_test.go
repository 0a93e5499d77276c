package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

// aWorker is the scripted model of a worker without a plan.
func aWorker(replies ...string) string {
	out := ""
	for _, r := range replies {
		out += `{"tier":3,"reply":` + r + "}\n"
	}
	return out
}

// pendingID waits until an action waits for its yes.
func (s *site) pendingID(log events.Log, n int) string {
	s.t.Helper()
	id := raised(s.t, log, n).Corr
	require.Eventually(s.t, func() bool {
		var got struct {
			Actions []struct {
				ActionID string `json:"action_id"`
				Tool     string
				BaseDir  string `json:"base_dir"`
			} `json:"pending_actions"`
		}
		require.NoError(s.t, json.Unmarshal(s.get("/api/v1/pending_actions"), &got))
		return len(got.Actions) == 1 && got.Actions[0].ActionID == id && got.Actions[0].BaseDir == s.dir
	}, patience, patience/1000)
	return id
}

func TestGenerateGoesOnOverARestartAndStandsUpToReplay(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoFiles)
	s.keys()
	script := s.script(aWorker(edits("a.txt", "one", "ONE"), calls("run_powershell",
		map[string]any{"script": "echo hello"}), says("DONE: it is mended.")))
	r, log := s.serve("--script", script)
	body := `{"prompt":"mend it","context":["a.txt"],"request_id":"r-1","timeout_s":0.3}`
	status, got := s.post("/api/v1/generate", body)
	require.Equal(t, http.StatusGatewayTimeout, status, "%v", got)
	ticket := got["ticket"]
	require.NotEmpty(t, ticket)
	edit := s.pendingID(log, 1)
	require.Equal(t, "one\n", s.read("a.txt"), "nothing runs without a yes")

	require.NoError(t, r.cmd.Process.Kill())
	r.wait()
	r, log = s.serve("--script", script)
	done := make(chan map[string]any, 1)
	go func() {
		_, joined := s.post("/api/v1/generate", `{"prompt":"mend it","context":["a.txt"],"request_id":"r-1"}`)
		done <- joined
	}()
	status, got = s.post("/api/mma/dag/mutate",
		fmt.Sprintf(`{"ops":[{"op":"add_ticket","id":"N-1","track":"TR-%s","description":"more"},{"op":"remove_ticket","ticket":"N-1"}]}`, ticket))
	require.Equal(t, http.StatusOK, status, "%v", got)
	for _, path := range []string{"/api/mma/pipeline/pause", "/api/mma/pipeline/resume"} {
		status, got = s.post(path, `{}`)
		require.Equal(t, http.StatusOK, status, "%v", got)
	}
	status, got = s.post("/api/v1/confirm/"+edit, `{"approved":true}`)
	require.Equal(t, http.StatusOK, status, "%v", got)
	shell := s.pendingID(log, 2)
	status, got = s.post("/api/v1/confirm/"+shell, `{"approved":true,"script":"echo edited"}`)
	require.Equal(t, http.StatusOK, status, "%v", got)
	require.Equal(t, true, got["edited"])
	joined := <-done
	require.Equal(t, ticket, joined["ticket"], "%v", joined)
	require.Equal(t, "DONE: it is mended.", joined["text"])
	require.Equal(t, "completed", joined["outcome"])
	require.Equal(t, "ONE\n", s.read("a.txt"))
	_, settled := fact(t, log, 1, func(_ events.Event, p events.ToolSettled) bool { return p.Tool == "run_powershell" })
	require.Contains(t, settled.Text, "edited")

	status, got = s.post("/api/mma/dag/mutate", fmt.Sprintf(`{"op":"remove_ticket","ticket":%q}`, ticket))
	require.Equal(t, http.StatusConflict, status, "%v", got)
	session := s.engine().Session
	require.NoError(t, r.cmd.Process.Signal(syscall.SIGTERM))
	require.Zero(t, r.wait())
	require.Contains(t, s.ok("replay", session, "--verify"), "mma_status")
}
