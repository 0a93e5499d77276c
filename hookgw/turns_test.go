package hookgw_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/projections"
	"manualslop/tiers/basis"
)

// talkers is a crew whose session has turns.
func talkers(t *testing.T, replies ...string) *fixture {
	t.Helper()
	f := crew(t, nil, replies...)
	f.put(person, events.DecisionsUpgraded{Basis: basis.Of("test")})
	return f
}

// says what the entries of the active discussion are, role and content.
func (f *fixture) said() []string {
	f.t.Helper()
	var out []string
	require.NoError(f.t, f.models.Await(f.t.Context(), session, func(s *projections.Set) bool {
		for _, n := range s.Discussion().Entries {
			out = append(out, n.Role+": "+n.Content)
		}
		return true
	}))
	return out
}

func TestATurnAddsTheWordsAndTheAnswerOfTheModel(t *testing.T) {
	t.Parallel()
	f := talkers(t, "It is a parser.", `{"script":"ls"}`, "There are two files.")
	a := f.human("/api/v1/generate", `{"discussion":"","prompt":"What is it?"}`)
	require.Equal(t, http.StatusOK, a.status, string(a.body))
	got := a.object(t)
	require.Equal(t, []any{"ok", "It is a parser.", "done", "main", "Discussion: main", 1.0}, []any{got["status"],
		got["text"],
		got["outcome"], got["discussion"], got["stream_id"], got["rounds"]})
	require.Equal(t, 100.0, got["usage"].(map[string]any)["input"])
	require.Equal(t, []string{"User: What is it?", "AI: It is a parser."}, f.said())

	done := f.background(f.request(http.MethodPost, "/api/v1/generate", access.RightHuman,
		`{"discussion":"main","prompt":"How many files?"}`))
	f.awaitAction()
	busy := f.human("/api/discussions/send", `{"text":"And now?"}`)
	require.Equal(t, http.StatusConflict, busy.status, string(busy.body))
	require.Equal(t, http.StatusOK, f.human("/api/asks/tool/respond", `{"response":true}`).status)
	require.Equal(t, "There are two files.", (<-done).object(t)["text"])
	require.Equal(t, []string{"User: What is it?", "AI: It is a parser.", "User: How many files?", "AI: ",
		`Tool: {"script":"ls"}`, "AI: There are two files."}, f.said())
	turns := f.get("/api/discussions/turns", access.RightRead).object(t)["turns"].([]any)
	require.Len(t, turns, 2)
	require.Equal(t, "done", turns[1].(map[string]any)["outcome"])
}

func TestATurnSendsTheDiscussionAsItReadsNow(t *testing.T) {
	t.Parallel()
	f := talkers(t, "one", "two")
	require.Equal(t, http.StatusOK, f.human("/api/v1/generate", `{"discussion":"","prompt":"a"}`).status)
	asked := recorded[events.TurnRequested](f)
	require.Empty(t, asked[0].Entries)
	var entries []projections.DiscussionEntry
	require.NoError(t, f.models.Await(t.Context(), session, func(s *projections.Set) bool {
		entries, _ = s.DiscussionEntries("")
		return true
	}))
	edit := f.human("/api/discussions/entries/edit", fmt.Sprintf(`{"entry":%q,"content":"one, mended"}`, entries[1].ID))
	require.Equal(t, http.StatusOK, edit.status, string(edit.body))
	require.Equal(t, http.StatusOK, f.human("/api/v1/generate", `{"discussion":"","prompt":"b"}`).status)
	sent := recorded[events.TurnRequested](f)[1].Entries
	require.Equal(t, []events.TurnEntry{
		{Entry: entries[0].ID, Role: "User", From: entries[0].ID, SHA256: events.Digest([]byte("a")), Size: 1},
		{Entry: entries[1].ID, Role: "AI", From: recordedID(f, "DiscussionChanged"),
			SHA256: events.Digest([]byte("one, mended")), Size: 11, Ticket: sent[1].Ticket, Tier: 3},
	}, sent)
	require.Equal(t, events.TurnTicket(entries[0].ID), sent[1].Ticket)
}

func TestTheFieldsForRetrievalDecideWhatATurnAsksFor(t *testing.T) {
	t.Parallel()
	f := talkers(t, "one", "two", "three")
	asks := func() *events.Retrieval {
		t.Helper()
		require.Equal(t, http.StatusOK, f.human("/api/v1/generate", `{"discussion":"","prompt":"a"}`).status)
		all := recorded[events.TurnRequested](f)
		return all[len(all)-1].Retrieval
	}
	require.Nil(t, asks())
	for _, task := range []string{`"rag_enabled","value":true`, `"rag_source","value":"text"`, `"rag_top_k","value":3`} {
		f.queue(t, `{"action":"set_value","item":`+task+`}`)
	}
	require.Equal(t, &events.Retrieval{Source: events.RetrieveText, Provider: "gemini", TopK: 3}, asks())
	f.queue(t, `{"action":"set_value","item":"rag_enabled","value":false}`)
	require.Nil(t, asks())
}

func recordedID(f *fixture, typ string) string {
	return f.expect(typ, func(events.Event) bool { return true }).ID
}

func TestATurnIsRefusedWhereNobodyCouldAnswerIt(t *testing.T) {
	t.Parallel()
	f := talkers(t, silence)
	for body, want := range map[string]int{
		`{"text":""}`:                         http.StatusBadRequest,
		`{"text":"x","tier":5}`:               http.StatusBadRequest,
		`{"text":"x","tier":-1}`:              http.StatusBadRequest,
		`{"text":"x","persona":"nobody"}`:     http.StatusBadRequest,
		`{"text":"x","discussion":"nowhere"}`: http.StatusNotFound,
		`{"text":"` + strings.Repeat("x", events.MaxWorkerPrompt+1) + `"}`: http.StatusRequestEntityTooLarge,
	} {
		a := f.human("/api/discussions/send", body)
		require.Equal(t, want, a.status, "%.80s: %s", body, a.body)
	}
	require.Equal(t, http.StatusBadRequest, f.human("/api/v1/generate", `{"discussion":"","prompt":"x","step_mode":true}`).status)
	require.Equal(t, http.StatusForbidden, f.post("/api/discussions/send", access.RightAsk, `{"text":"x"}`).status)
	require.Empty(t, recorded[events.TurnRequested](f))
}

func TestATurnIsStoppedAndTheDiscussionGoesOn(t *testing.T) {
	t.Parallel()
	f := talkers(t, `{"script":"ls"}`, "at last")
	turn := f.human("/api/discussions/send", `{"text":"a"}`).object(t)["turn"].(string)
	f.awaitAction()
	a := f.human("/api/control", `{"action":"kill","ticket":"`+turn+`"}`)
	require.Equal(t, http.StatusOK, a.status, string(a.body))
	f.expect("TurnEnded", func(e events.Event) bool { return e.Payload.(events.TurnEnded).Outcome == events.TurnStopped })
	require.NoError(t, f.models.Await(t.Context(), session, func(s *projections.Set) bool {
		return len(s.OpenAsks()) == 0
	}), "its question is withdrawn")
	require.Contains(t, f.said(), "System: the turn was stopped: stopped by "+person)
	require.Equal(t, "at last", f.human("/api/v1/generate", `{"discussion":"","prompt":"b"}`).object(t)["text"])
	require.Equal(t, http.StatusConflict, f.human("/api/control", `{"action":"kill","ticket":"`+turn+`"}`).status)
}

func TestASessionOfAnOlderProgramHasNoTurns(t *testing.T) {
	t.Parallel()
	f := crew(t, nil, "never")
	a := f.human("/api/v1/generate", `{"discussion":"","prompt":"a"}`)
	require.Equal(t, http.StatusConflict, a.status, string(a.body))
	require.Contains(t, string(a.body), "slop sessions upgrade")
	require.Empty(t, recorded[events.ModelRequested](f))
}
