package hookgw_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/team"
)

func TestASessionIsClosedOnce(t *testing.T) {
	t.Parallel()
	f := open(t)
	require.JSONEq(t, `{"status":"ok"}`, string(f.post("/api/sessions/close", access.RightHuman, `{}`).body))
	e := f.expect("SessionClosed", func(e events.Event) bool {
		return string(e.Data) == `{"reason":"`+team.ClosedByHand+
			`"}`
	})
	require.Equal(t, person, e.Actor)
	require.Equal(t, http.StatusConflict, f.post("/api/sessions/close", access.RightHuman, `{}`).status)
	require.Len(t, recorded[events.SessionClosed](f), 1)
}
