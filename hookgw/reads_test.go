package hookgw_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/access"
)

func TestStatusNeedsNoTokenAndTellsNothingElse(t *testing.T) {
	t.Parallel()
	f := openEmpty(t)
	a := f.get("/status", access.RightNone)
	require.Equal(t, http.StatusOK, a.status)
	require.Equal(t, "application/json", a.header.Get("Content-Type"))
	require.JSONEq(t, `{"status":"ok"}`, string(a.body))
}

func TestEveryPathOfTheStateAnswersTheSame(t *testing.T) {
	t.Parallel()
	keys := []string{
		"mma_status", "ai_status", "active_tier", "active_track", "active_tickets", "mma_step_mode", "pending_tool_approval",
		"pending_mma_step_approval",
		"pending_mma_spawn_approval", "pending_approval", "pending_spawn", "tracks", "proposed_tracks", "mma_streams",
	}
	for name, f := range map[string]*fixture{"without a session": openEmpty(t), "with one": open(t)} {
		want := f.get("/api/gui/mma_status", access.RightRead)
		for _, key := range keys {
			require.Contains(t, want.object(t), key, name)
		}
		for _, path := range []string{"/api/mma_status", "/mma_status"} {
			require.JSONEq(t, string(want.body), string(f.get(path, access.RightRead).body), name)
		}
		require.JSONEq(t, `{"thinking":false,"live":false,"prior":false}`,
			string(f.get("/api/gui/diagnostics", access.RightRead).body), name)
		oldest := f.get("/diagnostics", access.RightRead).object(t)
		for _, key := range []string{"thinking", "live", "prior", "fps", "frame_time_ms", "cpu_percent", "input_lag_ms"} {
			require.Contains(t, oldest, key, name)
		}
		require.JSONEq(t, `{"asks":[]}`, string(f.get("/api/asks", access.RightRead).body), name)
	}
}

func TestTheThreeGatesShowInTheState(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.raise("a", events.GateStep)
	state := f.get("/api/gui/mma_status", access.RightRead).object(t)
	require.Equal(t, true, state["pending_mma_step_approval"])
	require.Equal(t, true, state["pending_approval"])
	require.Equal(t, false, state["pending_tool_approval"])
	require.Equal(t, false, state["pending_spawn"])
}

func TestWhatWasWrittenIsReadOnEveryConnection(t *testing.T) {
	t.Parallel()
	f := open(t)
	for _, entries := range []string{`[]`, `[{"role":"User","content":"hello <b>"}]`,
		`[{"role":"AI","content":"x"},"anything"]`} {
		a := f.post("/api/session", access.RightHuman, `{"session":{"entries":`+entries+`}}`)
		require.Equal(t, http.StatusOK, a.status)
		require.JSONEq(t, `{"status":"updated"}`, string(a.body))
		f.client.CloseIdleConnections()
		require.JSONEq(t, `{"session":{"entries":`+entries+`}}`, string(f.get("/api/session", access.RightRead).body))
	}
	require.Equal(t, person, f.expect("DiscussionChanged", func(events.Event) bool { return true }).Actor)
}

func TestASessionWithoutAListOfEntriesIsRefused(t *testing.T) {
	t.Parallel()
	f := open(t)
	for _, body := range []string{`{}`, `{"session":[]}`, `{"session":null}`, `{"session":{}}`,
		`{"session":{"entries":null}}`, `{"session":{"entries":{}}}`, `{"Session":{"entries":[]}}`} {
		require.Equal(t, http.StatusBadRequest, f.post("/api/session", access.RightHuman, body).status, body)
	}
	require.Empty(t, recorded[events.DiscussionChanged](f))
}

func TestSessionsListsThemAndNamesTheCurrentOne(t *testing.T) {
	t.Parallel()
	require.JSONEq(t, `{"current":"","sessions":[]}`, string(openEmpty(t).get("/api/sessions", access.RightRead).body))
	f := open(t)
	body := f.get("/api/sessions", access.RightRead).object(t)
	require.Equal(t, session, body["current"])
	require.Len(t, body["sessions"], 1)
	require.Equal(t, "demo", body["sessions"].([]any)[0].(map[string]any)["label"])
	require.Equal(t, http.StatusNotFound, f.get("/api/session?session=other", access.RightRead).status)
	require.Equal(t, http.StatusOK, f.get("/api/session?session="+session, access.RightRead).status)
}
