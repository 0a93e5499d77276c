package hookgw_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/projections"
)

func TestADiscussionGoesOnFromItsSummary(t *testing.T) {
	t.Parallel()
	f := talkers(t, "one", "two", "They counted to two.", "three", "All of it.")
	for _, text := range []string{"a", "b"} {
		require.Equal(t, "done", f.human("/api/v1/generate", `{"discussion":"","prompt":"`+text+`"}`).object(t)["outcome"])
	}
	whole := []string{"User: a", "AI: one", "User: b", "AI: two"}
	got := f.says("/api/discussions/compact", `{"text":"the numbers"}`, http.StatusOK).object(t)
	require.Equal(t, []any{"ok", "main", 2.0, "Discussion: main"}, []any{got["status"], got["discussion"], got["entries"],
		got["stream_id"]})
	ended := func(turn any) {
		e := f.expect("TurnEnded", func(e events.Event) bool { return e.Payload.(events.TurnEnded).Turn == turn })
		require.NoError(t, f.models.WaitFor(t.Context(), e.Seq))
	}
	ended(got["turn"])
	require.Equal(t, "main_take_1", read[discussions](f, "/api/discussions").Active)
	require.Equal(t, []string{"Summary: They counted to two.", "User: b", "AI: two"}, f.said())
	asked := recorded[events.ModelRequested](f)
	require.Empty(t, asked[2].Tools)
	require.Equal(t, "three", f.human("/api/v1/generate", `{"discussion":"","prompt":"c"}`).object(t)["text"])
	sent := recorded[events.TurnRequested](f)
	require.Equal(t, events.RoleSummary, sent[3].Entries[0].Role)
	require.Equal(t, got["turn"], sent[3].Entries[0].Ticket)

	got = f.says("/api/discussions/compact", `{"keep":0}`, http.StatusOK).object(t)
	require.Equal(t, 5.0, got["entries"])
	ended(got["turn"])
	require.Equal(t, []string{"Summary: All of it."}, f.said())
	f.says("/api/discussions/switch", `{"name":"main"}`, http.StatusOK)
	require.Equal(t, whole, f.said(), "the first take is as it was")
}

func TestADiscussionThatCannotBeMadeShorterIsLeftAlone(t *testing.T) {
	t.Parallel()
	f := talkers(t, "one", silence)
	empty := f.human("/api/discussions/compact", `{}`)
	require.Equal(t, http.StatusConflict, empty.status, string(empty.body))
	require.Contains(t, string(empty.body), "nothing that a summary could replace")
	require.Equal(t, "done", f.human("/api/v1/generate", `{"discussion":"","prompt":"a"}`).object(t)["outcome"])
	for body, want := range map[string]int{
		`{}`: http.StatusConflict, `{"keep":2}`: http.StatusConflict, `{"keep":-1}`: http.StatusBadRequest,
		`{"keep":0,"tier":5}`:                    http.StatusBadRequest,
		`{"discussion":"nowhere","keep":0}`:      http.StatusNotFound,
		`{"keep":0,"persona":"nobody"}`:          http.StatusBadRequest,
		`{"keep":0,"text":7}`:                    http.StatusBadRequest,
		`{"keep":9223372036854775807,"text":""}`: http.StatusConflict,
		`{"keep":0,"text":"` + strings.Repeat("x", events.MaxCompactWords+1) + `"}`: http.StatusRequestEntityTooLarge,
	} {
		a := f.human("/api/discussions/compact", body)
		require.Equal(t, want, a.status, "%.80s: %s", body, a.body)
		requireProblem(t, a, "")
	}
	require.Equal(t, http.StatusForbidden, f.post("/api/discussions/compact", access.RightAsk, `{"keep":0}`).status)
	turn := f.says("/api/discussions/compact", `{"keep":0}`, http.StatusOK).object(t)["turn"].(string)
	requireProblem(t, f.says("/api/discussions/compact", `{"keep":0}`, http.StatusConflict), "another turn")
	requireProblem(t, f.says("/api/discussions/send", `{"text":"b"}`, http.StatusConflict), "another turn")
	f.says("/api/control", `{"action":"kill","ticket":"`+turn+`"}`, http.StatusOK)
	e := f.expect("TurnEnded", func(e events.Event) bool { return e.Payload.(events.TurnEnded).Turn == turn })
	require.NoError(t, f.models.WaitFor(t.Context(), e.Seq))
	require.Equal(t, events.TurnStopped, e.Payload.(events.TurnEnded).Outcome)
	require.Equal(t, []string{"User: a", "AI: one"}, f.said())
	require.NoError(t, f.models.Await(t.Context(), session, func(s *projections.Set) bool {
		return len(s.Discussions()) == 1
	}))
}
