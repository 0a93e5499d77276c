package search_test

import (
	"context"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/projections/search"
)

const project = "p1"

func patient(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), eventstest.Patience)
	t.Cleanup(cancel)
	return ctx
}

// now is when queries are parsed.
func now() time.Time { return time.Date(2026, 1, 10, 12, 0, 0, 0, time.UTC) }

// record is a log that grows.
type record struct {
	t   testing.TB
	log *eventstest.Memory
	dir string
	n   int
}

func newRecord(t testing.TB) *record {
	t.Helper()
	return &record{t: t, log: eventstest.NewMemory(), dir: t.TempDir()}
}

// add stores an event of a session; the n-th one is of the n-th minute of 2026.
func (r *record) add(session, actor string, p events.Payload) string {
	r.t.Helper()
	r.n++
	e, err := events.New(events.Origin{ID: fmt.Sprintf("E%d", r.n), Time: time.Date(2026, 1, 1, 0, r.n, 0, 0, time.UTC),
		Project: project, Session: session, Actor: actor}, p)
	require.NoError(r.t, err)
	e.Payload = nil
	_, err = r.log.Append(patient(r.t), e, nil)
	require.NoError(r.t, err)
	return e.ID
}

// work is a session with something of everything.
func (r *record) work(session string) {
	r.t.Helper()
	r.add(session, "ada", events.SessionOpened{Folder: "20260101_0001" + session})
	r.add(session, "ada", events.GoalSubmitted{Goal: "Mend the Parser, please"})
	request := r.add(session, events.ActorContributor, events.ModelRequested{StreamID: "Tier 3 (Worker): T-1",
		Ticket: "T-1", Attempt: 1, Tier: 3, SHA256: "ab",
		Manifest: []events.Part{{Role: "system", Text: "promptonly"}}})
	r.add(session, events.ActorModels, events.ModelReplied{Request: request, Text: "I shall read parse_line first",
		Finish: "stop"})
	args := json.RawMessage(`{"path":"src/parse.go","deep":{"old_string":"func (p *parser) next()"}}`)
	r.add(session, events.ActorContributor, events.ToolRequested{Call: "c1", Tool: "edit_file", Args: args, Ticket: "T-1",
		Attempt: 1, Round: 1})
	r.add(session, events.ActorApproval, events.AskRaised{Ask: "a1", Gate: events.GateTool, Title: "edit the parser",
		Ticket: "T-1", Call: "c1", Tool: "edit_file", Args: args})
	r.add(session, "ada", events.AskAnswered{Ask: "a1", Decision: events.Yes, Reason: "sounds reasonable"})
	r.add(session, events.ActorApproval, events.ToolApproved{Call: "c1", Tool: "edit_file", Args: args, ArgsSHA256: "d",
		Ticket: "T-1", Generation: 1, By: "ada"})
	r.add(session, "worker-1", events.ToolSettled{Call: "c1", Tool: "edit_file", Outcome: events.ToolFailed,
		Text: "no such line\x1b[2J in 解析器 file", ArgsSHA256: "d", Generation: 1})
	r.add(session, events.ActorQA, events.HintGiven{Call: "c1", Ticket: "T-1", Hint: "the import is missing"})
	r.add(session, events.ActorGateway, events.HookCalled{Method: "POST", Path: "/api/ask", Status: 200,
		Body: json.RawMessage(`{"question":"zebra?"}`)})
	r.add(session, "ada",
		events.DiscussionChanged{Operation: events.DiscussionReplace, Entries: json.RawMessage(`[{"role":"User","content":"discussed giraffes"}]`)})
	r.add(session, "ada", events.SessionClosed{Reason: "done"})
}

func (r *record) index(dir string) *search.Index {
	r.t.Helper()
	return search.New(search.Options{Dir: dir, Log: r.log, Project: project})
}

// opened is an index that has everything.
func (r *record) opened(dir string) *search.Index {
	r.t.Helper()
	x := r.index(dir)
	require.NoError(r.t, x.Open(patient(r.t)))
	require.NoError(r.t, x.CatchUp(patient(r.t), 0))
	r.t.Cleanup(func() { require.NoError(r.t, x.Close()) })
	return x
}

func parse(t testing.TB, text string) search.Query {
	t.Helper()
	q, err := search.Parse(text, now())
	require.NoError(t, err, text)
	return q
}

// find searches and returns the types of what is found, newest first.
func find(t testing.TB, x *search.Index, text string) []string {
	t.Helper()
	a, err := x.Find(patient(t), parse(t, text), search.Page{Limit: 50})
	require.NoError(t, err, text)
	types := []string{}
	for _, h := range a.Hits {
		types = append(types, h.Type)
	}
	require.EqualValues(t, len(types), a.Total)
	return types
}
