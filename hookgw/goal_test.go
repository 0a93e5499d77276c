package hookgw_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/hookgw/access"
)

func TestAGoalIsThePersonsAndAnswersWithItsID(t *testing.T) {
	t.Parallel()
	f := open(t)
	a := f.post("/api/goal", access.RightHuman, `{"goal":"make the tests pass"}`)
	require.Equal(t, http.StatusOK, a.status, string(a.body))
	said := eventstest.All(t, f.log, events.Filter{Project: project, Type: "GoalSubmitted"})
	require.Len(t, said, 1)
	require.Equal(t, person, said[0].Actor)
	require.Equal(t, map[string]any{"status": "ok", "goal": said[0].ID}, a.object(t))
	require.Equal(t, []events.GoalSubmitted{{Goal: "make the tests pass"}}, recorded[events.GoalSubmitted](f))
}

func TestWhatIsNoGoalIsRefusedAndNotRecorded(t *testing.T) {
	t.Parallel()
	f := open(t)
	for _, body := range []string{`{}`, `{"goal":""}`, `{"goal":"  "}`, `{"goal":7}`, `{"goal":"x","priority":1}`} {
		require.Equal(t, http.StatusBadRequest, f.post("/api/goal", access.RightHuman, body).status, body)
	}
	long := f.post("/api/goal", access.RightHuman, `{"goal":"`+strings.Repeat("x", events.MaxInline+1)+`"}`)
	require.Equal(t, http.StatusRequestEntityTooLarge, long.status)
	require.Empty(t, recorded[events.GoalSubmitted](f))
	longest := f.post("/api/goal", access.RightHuman, `{"goal":"`+strings.Repeat("x", events.MaxInline)+`"}`)
	require.Equal(t, http.StatusOK, longest.status)
}
