package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/cmd/slop/client"
	"manualslop/events"
	"manualslop/hookgw/views"
	"manualslop/projections"
)

// The terminal and the console show the same from the same read models: what the commands print as JSON
// is what the routes return that the console reads.
func TestTheTerminalShowsWhatTheConsoleReads(t *testing.T) {
	t.Parallel()
	s := newSite(t, twoFiles)
	s.start("serve", "--json", "--script", s.script(onePlan(edits("a.txt", "one", "ONE"),
		calls("run_powershell", map[string]any{"script": "seq 400"}), edits("b.txt", "two", "TWO"),
		says("DONE: done")))).sees("\n")
	status, _ := s.post("/api/goal", `{"goal":"edit"}`)
	require.Equal(t, http.StatusOK, status)
	a := s.start("attach")
	for range 2 {
		a.sees("[s]how all > ")
		a.types("y")
	}
	a.sees("[s]how all > ")
	of := "?session=" + url.QueryEscape(s.engine().Session)

	var team struct{ Active []projections.Worker }
	read(s, "/api/mma/workers"+of, &team)
	require.NotEmpty(t, team.Active)
	require.Equal(t, team.Active, printed[projections.Worker](s, "top", "--json"))

	var changed projections.Changes
	read(s, "/api/changes"+of, &changed)
	require.Len(t, changed.Files, 1)
	require.Equal(t, changed.Files, printed[projections.Change](s, "changes", "--json"))

	var tickets views.Tickets
	read(s, "/api/tickets"+of, &tickets)
	require.Len(t, tickets.Tickets, 1)
	ticket := printed[struct {
		projections.TicketRow
		projections.TicketPast
		Said  string
		Calls []projections.ToolCall
		Asks  []client.Ask
	}](s, "show", "T-001", "--json")[0]
	require.Equal(t, tickets.Tickets[0].TicketRow, ticket.TicketRow)
	require.Len(t, ticket.Attempts, 1)
	require.Equal(t, tickets.Tickets[0].TicketPast, ticket.TicketPast)

	var talk views.Conversation
	read(s, "/api/conversation"+of+"&worker=T-001", &talk)
	var called []views.Called
	for _, round := range talk.Rounds {
		called = append(called, round.Calls...)
	}
	require.Len(t, called, 3)
	require.Len(t, ticket.Calls, 3)
	require.Equal(t, talk.Rounds[len(talk.Rounds)-1].Text, ticket.Said)
	for i, c := range called {
		require.Equal(t, []string{c.ID, c.Name, c.By}, []string{ticket.Calls[i].Call, ticket.Calls[i].Tool,
			ticket.Calls[i].By})
		shown := printed[struct {
			Args json.RawMessage
			Text string
		}](s, "show", c.ID, "--json")[0]
		require.JSONEq(t, string(c.Args), string(shown.Args))
		require.True(t, strings.HasPrefix(shown.Text, c.Text), "%q does not begin with %q", shown.Text, c.Text)
	}

	var inbox struct{ Asks []client.Ask }
	read(s, "/api/asks"+of, &inbox)
	require.Len(t, inbox.Asks, 1)
	require.Equal(t, inbox.Asks, printed[client.Ask](s, "ask", "list", "--json"))

	var overview views.Overview
	read(s, "/api/overview"+of, &overview)
	for _, seq := range []uint64{1, overview.LastSeq} {
		var logged views.Event
		read(s, fmt.Sprintf("/api/log/%d%s", seq, of), &logged)
		shown := printed[struct{ Event events.Event }](s, "show", fmt.Sprint(seq), "--json")[0]
		var want events.Event
		require.NoError(t, json.Unmarshal(logged.Event, &want))
		require.Equal(t, want, shown.Event)
	}
}

// read reads a route of the running engine.
func read(s *site, path string, into any) {
	s.t.Helper()
	require.NoError(s.t, json.Unmarshal(s.get(path), into))
}

// printed are the lines of JSON that a command prints.
func printed[T any](s *site, args ...string) (out []T) {
	s.t.Helper()
	for line := range strings.Lines(s.ok(args...)) {
		var v T
		require.NoError(s.t, json.Unmarshal([]byte(line), &v))
		out = append(out, v)
	}
	return out
}
