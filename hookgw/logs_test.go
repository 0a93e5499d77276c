package hookgw_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/access"
)

func TestAStarIsOnRecordAndInTheListOfSessions(t *testing.T) {
	t.Parallel()
	f := open(t)
	for _, on := range []string{"true", "false"} {
		require.JSONEq(t, `{"status":"ok"}`, string(f.post("/api/logs/star", access.RightHuman, `{"on":`+on+`}`).body))
		e := f.expect("SessionStarred", func(e events.Event) bool { return string(e.Data) == `{"on":`+on+`}` })
		require.Equal(t, person, e.Actor)
		has := require.NotContains
		if on == "true" {
			has = require.Contains
		}
		has(t, string(f.get("/api/sessions", access.RightRead).body), `"starred":true`)
	}
	for _, body := range []string{`{}`, `{"on":1}`, `{"on":null}`} {
		require.Equal(t, http.StatusBadRequest, f.post("/api/logs/star", access.RightHuman, body).status, body)
	}
	require.Len(t, recorded[events.SessionStarred](f), 2)
}

func TestOnlyPrunedLogsAreRestored(t *testing.T) {
	t.Parallel()
	f := open(t)
	require.Equal(t, http.StatusConflict, f.post("/api/logs/restore", access.RightHuman, `{}`).status)
	e := f.put(events.ActorGateway, events.LogsPruned{Reason: "test"})
	require.NoError(t, f.models.WaitFor(t.Context(), e.Seq))
	require.Equal(t, http.StatusOK, f.post("/api/logs/restore", access.RightHuman, `{}`).status)
	require.Len(t, recorded[events.LogsRestored](f), 1)
	require.NotContains(t, string(f.get("/api/sessions", access.RightRead).body), `"pruned"`)
}
