package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	own "manualslop/cmd/slop/site"
)

func TestAttachShowsASessionAndAnswersItsQuestions(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoFiles)
	require.Contains(t, s.fails(1, "attach"), "no engine is running here")
	edit := edits("a.txt", "one", "ONE")
	r := s.start("serve", "--json", "--script", s.script(onePlan(edit, edit, says("DONE: done"))))
	r.sees("\n")
	status, _ := s.post("/api/goal", `{"goal":"edit"}`)
	require.Equal(t, http.StatusOK, status)
	a := s.start("attach")
	a.sees("[s]how all > ")
	a.types("a config")
	a.warns("from now on, for all your sessions, in ")
	a.types("n not yet")
	a.sees("[s]how all > ")
	a.types("a ticket *.txt")
	a.warns("from now on, for T-001: edit_file: *.txt")
	a.types("a")
	a.sees("T-001 is completed")
	require.Equal(t, "ONE\n", s.read("a.txt"))
	require.Contains(t, s.ok("watch", "--no-follow", "--json", "--filter", "ada.>"), `"scope":"ticket T-001"`)
	shown := s.start("attach", "--json")
	shown.sees(`"type":"GoalCompleted"`)
	require.NoError(t, r.cmd.Process.Signal(os.Interrupt))
	require.Zero(t, r.wait())
	a.warns("the engine ended; slop sessions show ")
	require.Zero(t, a.wait())
	require.Zero(t, shown.wait())
}

func TestAttachRefusesAnEngineOfAnotherVersion(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status int
		says   map[string]any
		want   string
	}{
		"older": {http.StatusOK, map[string]any{"version": "slop v0.1.0 go1.25.1 linux/amd64"},
			"runs slop v0.1.0 go1.25.1 linux/amd64, and this is slop v"},
		"newer": {http.StatusOK, map[string]any{"version": "slop v99.0.0 go1.30 linux/amd64"},
			"runs slop v99.0.0 go1.30"},
		"none":      {http.StatusOK, map[string]any{"version": ""}, "and this is slop v"},
		"not named": {http.StatusOK, map[string]any{"pid": 1}, "and this is slop v"},
		"one word":  {http.StatusOK, map[string]any{"version": "slop"}, "runs slop, and this is slop v"},
		"with escapes": {http.StatusOK, map[string]any{"version": "slop v0.1.0 \x1b]2;x\x07"},
			`runs slop v0.1.0 <U+001B>]2;x<U+0007>`},
		"not a text":   {http.StatusOK, map[string]any{"version": 1}, "version"},
		"no such read": {http.StatusNotFound, map[string]any{"error": "no such route", "hint": "none"}, "no such route"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, nil)
			gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(c.status)
				_ = json.NewEncoder(w).Encode(c.says)
			}))
			t.Cleanup(gateway.Close)
			s.ok("keys") // makes the data folder
			info := own.EngineInfo{PID: os.Getpid(), Hooks: gateway.URL, Tokens: s.data("tokens")}
			remove, err := own.WriteRunFile(s.data("."), info)
			require.NoError(t, err)
			t.Cleanup(remove)
			for _, command := range [][]string{{"attach"}, {"ask", "answer", "ask-1", "--rule", "go *"}} {
				require.Contains(t, s.fails(1, command...), c.want)
			}
		})
	}
}
