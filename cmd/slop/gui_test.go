package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/events"
)

// gui queues tasks at the engine's gateway.
func (s *site) gui(tasks ...string) {
	s.t.Helper()
	for _, task := range tasks {
		status, got := s.post("/api/gui", task)
		require.Equal(s.t, http.StatusOK, status, task)
		require.Equal(s.t, map[string]any{"status": "queued"}, got)
	}
}

func (s *site) guiValue(name string) any {
	s.t.Helper()
	var out struct{ Value any }
	require.NoError(s.t, json.Unmarshal(s.get("/api/gui/value/"+name), &out))
	return out.Value
}

// puppeteer presses the button of whatever a session asks until its goal is
// done, and tells how often it pressed which.
func (s *site) puppeteer(conn *bus.Conn, session string) map[string]int {
	s.t.Helper()
	button := map[string]string{events.GateTool: "btn_approve_tool", events.GateStep: "btn_approve_mma_step",
		events.GateSpawn: "btn_approve_spawn"}
	pressed := map[string]int{}
	registry := events.Catalogue()
	_, feed, err := conn.Watch(s.t.Context(), events.Filter{Session: session}, 1)
	require.NoError(s.t, err)
	for e, err := range feed {
		require.NoError(s.t, err)
		registry.Decode(&e)
		switch p := e.Payload.(type) {
		case events.TracksProposed:
			pressed["btn_mma_accept_tracks"]++
			s.gui(`{"action":"click","item":"btn_mma_accept_tracks"}`)
		case events.AskRaised:
			pressed[button[p.Gate]]++
			s.gui(`{"action":"click","item":"` + button[p.Gate] + `","user_data":"` + p.Ask + `"}`)
		case events.GUITaskFailed:
			require.Fail(s.t, p.Error)
		case events.GoalCompleted:
			return pressed
		case events.GoalFailed:
			require.Fail(s.t, p.Reason)
		}
	}
	return pressed
}

func TestATeamIsDrivenThroughTheGUIFromEpicToEndAndAgainAfterAReset(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoFiles)
	s.keys()
	plan := onePlan(edits("a.txt", "one", "ONE"), says("DONE: done"))
	r, conn := s.serve("--script", s.script(plan+plan))
	first := s.engine().Session
	s.gui(
		`{"action":"set_value","item":"spawn_approval","value":true}`,
		`{"action":"set_value","item":"mma_step_mode","value":true}`,
		`{"action":"set_value","item":"plan_review","value":true}`,
		`{"action":"set_value","item":"current_model","value":"m-of-the-gui"}`,
		`{"action":"set_value","item":"mma_epic_input","value":"edit"}`, `{"action":"click","item":"btn_mma_plan_epic"}`,
	)
	pressed := s.puppeteer(conn, first)
	require.Equal(t, "ONE\n", s.read("a.txt"))
	require.Equal(t, 1, pressed["btn_mma_accept_tracks"])
	require.Equal(t, 1, pressed["btn_approve_tool"])
	require.Equal(t, 1, pressed["btn_approve_spawn"])
	require.NotZero(t, pressed["btn_approve_mma_step"])
	require.Eventually(t, func() bool { return s.guiValue("node_T-001") == "completed" }, patience, time.Millisecond)

	s.gui(`{"action":"click","item":"btn_reset_session"}`)
	second, ok := s.guiValue("session_id").(string)
	require.True(t, ok)
	require.NotEqual(t, first, second)
	require.Equal(t, "m-of-the-gui", s.guiValue("current_model"))
	require.Equal(t, true, s.guiValue("plan_review"))
	require.Nil(t, s.guiValue("node_T-001"))
	require.Equal(t, "ok\n", s.ok("pause"), "commands go on with the session of now")
	require.Equal(t, true, s.guiValue("mma_paused"))
	require.Equal(t, "ok\n", s.ok("resume"))
	require.NoError(t, os.WriteFile(filepath.Join(s.dir, "a.txt"), []byte("one\n"), 0o600))
	s.gui(`{"action":"set_value","item":"mma_epic_input","value":"edit"}`, `{"action":"click","item":"btn_mma_plan_epic"}`)
	s.puppeteer(conn, second)
	require.Equal(t, "ONE\n", s.read("a.txt"))
	require.Contains(t, s.ok("sessions"), second)
	for _, session := range []string{first, second} {
		s.ok("replay", "--verify", session)
	}
	s.gui(`{"action":"set_value","item":"current_provider","value":"anthropic"}`)
	require.Equal(t, "m-of-the-gui", s.guiValue("current_model"), "a name that a person gave and that nobody knows stays")
	s.gui(`{"action":"set_value","item":"current_model","value":"claude-opus-5-5"}`,
		`{"action":"set_value","item":"current_provider","value":"gemini"}`)
	require.Equal(t, "gemini-2.5-flash-lite", s.guiValue("current_model"))
	r.kill()
}

func TestARunWhoseSessionIsResetEndsAndSaysSo(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoFiles)
	r := s.start("run", "--wait", "--script", s.script(onePlan(edits("a.txt", "one", "ONE"), says("DONE: done"))), "edit")
	r.sees("edit_file") // it asks
	s.gui(`{"action":"click","item":"btn_reset_session"}`)
	require.Equal(t, 1, r.wait())
	require.Contains(t, r.err.String(), "was closed before the goal was reached: reset")
	require.Equal(t, "one\n", s.read("a.txt"), "what nobody approved did not happen")
}
