package hookgw_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/views"
	"manualslop/projections"
)

// viewOf reads a view.
func viewOf[T any](f *fixture, path string) T {
	f.t.Helper()
	var out T
	a := f.get(path, access.RightRead)
	require.Equal(f.t, http.StatusOK, a.status, string(a.body))
	require.NoError(f.t, json.Unmarshal(a.body, &out))
	return out
}

// graph puts a plan of three tickets: the second depends on the first, the third on both.
func (f *fixture) graph() {
	f.t.Helper()
	goal := f.put(person, events.GoalSubmitted{Goal: "make the tests pass"})
	track := events.Track{ID: "TR-1", Title: "Shop", Description: "Mend the shop"}
	f.put(events.ActorConductor, events.TrackStarted{Goal: goal.ID, Track: track})
	ticket := func(id string, after ...string) events.Ticket {
		return events.Ticket{ID: id, Description: "Mend " + id, Status: events.StatusTodo, DependsOn: after,
			Priority: "medium"}
	}
	f.put(events.ActorLead, events.TicketsPlanned{Track: "TR-1", Tickets: []events.Ticket{ticket("T-001"),
		ticket("T-002", "T-001"), ticket("T-003", "T-001", "T-002")}})
}

func TestTicketsTellWhyTheyWait(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.graph()
	waits := func(path string) map[string]string {
		out := map[string]string{}
		for _, ticket := range viewOf[views.Tickets](f, path).Tickets {
			out[ticket.ID] = ticket.WaitsFor
		}
		return out
	}
	require.Equal(t, map[string]string{"T-001": "a worker or its track", "T-002": "T-001 (todo)",
		"T-003": "T-001 (todo), T-002 (todo)"}, waits("/api/tickets"))
	f.put(events.ActorConductor, events.Paused{})
	require.Equal(t, "the end of the pause", waits("/api/tickets")["T-001"])
	f.put(events.ActorConductor, events.Resumed{})
	begun := f.put(events.ActorConductor, events.TicketStarted{Track: "TR-1", Ticket: events.Ticket{ID: "T-001",
		Description: "Mend T-001"}, Attempt: 1, Model: "m1"})
	f.put(events.ActorApproval, events.AskRaised{Ask: "a1", Gate: events.GateTool, Title: "edit_file a.go",
		Ticket: "T-001"})
	require.Equal(t, "you: edit_file a.go", waits("/api/tickets")["T-001"])
	f.put(events.ActorApproval, events.AskRaised{Ask: "a0", Gate: events.GateTool, Title: "edit_file b.go",
		Ticket: "T-001"})
	require.NotNil(t, viewOf[views.Tickets](f, "/api/tickets").Tickets[0].WaitsSince)
	later := time.Now().Add(90 * time.Second)
	f.put(events.ActorApproval, events.AskSettled{Ask: "a0", Gate: events.GateTool, Outcome: events.No, By: person,
		AnswerID: "x", At: later})
	require.Equal(t, "T-001 (in progress)", waits("/api/tickets")["T-002"])
	f.put(events.ActorApproval, events.AskSettled{Ask: "a1", Gate: events.GateTool, Outcome: events.No, By: person,
		AnswerID: "x", At: later})
	first := viewOf[views.Tickets](f, "/api/tickets").Tickets[0]
	require.Nil(t, first.WaitsSince)
	require.GreaterOrEqual(t, first.WaitedMS, int64(90_000))
	require.Less(t, first.WaitedMS, int64(180_000), "waits at the same time count once")
	f.put(events.ActorConductor, events.TicketBlocked{Ticket: "T-001", Kind: events.BlockWorker, Reason: "gave up"})
	now := viewOf[views.Tickets](f, "/api/tickets")
	require.Equal(t, "you: it is blocked (worker): gave up", now.Tickets[0].WaitsFor)
	require.Equal(t, []string{"note", "retry", "unblock"}, now.Tickets[0].Actions)
	require.Equal(t, []int{0, 1, 2}, []int{now.Tickets[0].Layer, now.Tickets[1].Layer, now.Tickets[2].Layer})
	require.Equal(t, "Shop", now.Tracks[0].Title)

	require.Equal(t, "T-001 (in progress)", waits(fmt.Sprint("/api/tickets?at=", begun.Seq))["T-002"])
	require.Empty(t, waits("/api/tickets?at=1"), "also backwards")
	require.Equal(t, "T-001 (blocked)", waits("/api/tickets?at=999999")["T-002"])
	require.Equal(t, http.StatusBadRequest, f.get("/api/tickets?at=x", access.RightRead).status)
}

// TestTheViewAtAPositionIsThatOfThen compares each view at each position with the same view when the session was there.
func TestTheViewAtAPositionIsThatOfThen(t *testing.T) {
	t.Parallel()
	blobs := eventstest.NewMemory()
	f := open(t, withBlobs(blobs))
	then := map[string]string{}
	paths := []string{"/api/overview?", "/api/tickets?", "/api/spans?", "/api/asks?state=all&", "/api/asks/tool?",
		"/api/metrics/financial?", "/api/mma/workers?", "/api/latencies?", "/api/settings?", "/api/changes?",
		"/api/discussions?", "/api/discussions/entries?name=main&"}
	position := func() uint64 { // once the read models have the whole log: the record of a request comes after its answer
		for {
			last, err := f.log.Last(t.Context(), events.Filter{Project: project})
			require.NoError(t, err)
			if viewOf[views.Overview](f, "/api/overview").LastSeq == last {
				return last
			}
		}
	}
	look := func() {
		for {
			at, seen := position(), map[string]string{}
			for _, path := range paths {
				seen[fmt.Sprint(path, "at=", at)] = string(f.get(strings.TrimRight(path, "?&"), access.RightRead).body)
			}
			if position() == at {
				maps.Copy(then, seen)
				return
			}
		}
	}
	look()
	f.graph()
	look()
	f.put(events.ActorConductor, events.TicketStarted{Track: "TR-1", Ticket: events.Ticket{ID: "T-001"}, Attempt: 1})
	look()
	f.put(events.ActorConductor, events.TicketCompleted{Ticket: "T-001"})
	look()
	f.listed(blobs)
	look()
	f.says("/api/discussions/entries/add", `{"content":"one"}`, http.StatusOK)
	look()
	f.put(events.ActorApproval, events.AskSettled{Ask: "a1", Gate: events.GateTool, Outcome: events.No, By: person,
		AnswerID: "x"})
	look()
	f.says("/api/discussions/create", `{"name":"other"}`, http.StatusOK)
	look()
	for path, want := range then { // order-independent: each is a request of its own
		require.Equal(t, want, string(f.get(path, access.RightRead).body), path)
	}
}

func TestTheOverviewTellsThePause(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.graph()
	got := viewOf[views.Overview](f, "/api/overview")
	require.Equal(t, []any{"make the tests pass", false, 3}, []any{got.Goal, got.Paused, got.Tickets})
	f.put(events.ActorConductor, events.Paused{})
	require.True(t, viewOf[views.Overview](f, "/api/overview").Paused)
	first := f.get("/api/overview", access.RightRead)
	req := f.request(http.MethodGet, "/api/overview", access.RightRead, "")
	req.Header.Set("If-None-Match", first.header.Get("ETag"))
	require.Equal(t, http.StatusNotModified, f.send(req).status)
}

func TestAConversationHasWhatWasSaidAndDone(t *testing.T) {
	t.Parallel()
	f := crew(t, nil, `{"script":"ls"}`, "DONE: It is done.")
	ticket := f.human("/api/mma/workers/spawn", `{"prompt":"mend it"}`).object(t)["ticket"].(string)
	require.Equal(t, http.StatusOK, f.respond(f.awaitAction(), "true").status)
	f.awaitWorkers(func(w projections.Workers) bool { return len(w.Finished) == 1 })
	got := viewOf[views.Conversation](f, "/api/conversation?worker="+ticket)
	require.Len(t, got.Rounds, 2)
	require.Equal(t, []int{1, 1, 0}, []int{got.Attempt, got.Attempts, got.Older})
	first, second := got.Rounds[0], got.Rounds[1]
	require.True(t, first.Anew)
	require.False(t, second.Anew)
	require.Contains(t, fmt.Sprint(first.Said), "mend it")
	require.Len(t, first.Calls, 1)
	require.Equal(t, "run_powershell", first.Calls[0].Name)
	require.JSONEq(t, `{"script":"ls"}`, string(first.Calls[0].Args))
	require.Equal(t, events.ToolDone, first.Calls[0].State)
	require.JSONEq(t, `{"script":"ls"}`, first.Calls[0].Text, "the fixture's worker answers with the arguments")
	require.Equal(t, "DONE: It is done.", second.Text)
	require.EqualValues(t, 50, second.Usage.CacheRead)
	require.Equal(t, http.StatusBadRequest, f.get("/api/conversation", access.RightRead).status)

	took := viewOf[views.Latencies](f, "/api/latencies").Latencies
	require.Len(t, took, 1, "the fixture's models tell no duration")
	require.Equal(t, []any{"tool", "run_powershell", 1}, []any{took[0].Kind, took[0].Name, took[0].Count})

	event := viewOf[views.Event](f, fmt.Sprint("/api/log/", second.EndSeq))
	require.Contains(t, string(event.Event), "DONE: It is done.")
	for _, seq := range []string{"0", "x", "999999"} {
		require.Equal(t, http.StatusNotFound, f.get("/api/log/"+seq, access.RightRead).status, seq)
	}
}

func TestAConversationIsReadInOneGo(t *testing.T) {
	t.Parallel()
	log := countedLog{begun: &atomic.Int32{}, open: &atomic.Int32{}}
	f := open(t, func(c *core.Config) {
		log.Log = c.Log
		c.Log = log
	})
	for round := range 70 { // more than are shown
		asked := f.asksModel("T-001", round+1)
		f.put(events.ActorModels, events.ModelReplied{Request: asked.ID, Text: fmt.Sprint("reply ", round+1), Finish: "stop"})
	}
	for range 300 { // a gap that is not worth reading
		f.put(events.ActorConductor, events.Paused{})
	}
	asked := f.asksModel("T-001", 71)
	before := log.begun.Load()
	got := viewOf[views.Conversation](f, "/api/conversation?worker=T-001")
	require.EqualValues(t, 2, log.begun.Load()-before)
	require.Equal(t, 11, got.Older)
	require.Len(t, got.Rounds, 60)
	require.Equal(t, "reply 12", got.Rounds[0].Text)
	require.Equal(t, asked.ID, got.Rounds[59].ID)
	require.Equal(t, "Mend T-001 now", got.Rounds[59].Said[1].Text)
}

func TestThoughtsOfAReplyAreShown(t *testing.T) {
	t.Parallel()
	f := open(t)
	for raw, want := range map[string][]string{
		`{"origin":"anthropic/x","data":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"text","text":"x"}]}`: {"hm"},
		`{"origin":"gemini/x","data":[{"text":"so","thought":true},{"text":"x"}]}`:                                         {"so"},
		`{"origin":"openai/x","data":[{"type":"reasoning","summary":[{"type":"summary_text","text":"then"}]}]}`:            {"then"},
		`{"origin":"x","data":{"reasoning_content":"ah"}}`:                                                                 {"ah"},
	} {
		q := f.put(events.ActorPlanner, events.ModelRequested{StreamID: "Tier 1", Goal: "g" + events.Digest([]byte(raw)),
			Attempt: 1, Tier: 1, Provider: "script", Model: "m", Manifest: []events.Part{{Role: "user", Text: "plan"}}})
		f.put(events.ActorModels, events.ModelReplied{Request: q.ID, Text: "x", Finish: "stop", Raw: json.RawMessage(raw)})
		got := viewOf[views.Conversation](f, "/api/conversation?worker=tier1:g"+events.Digest([]byte(raw)))
		require.Equal(t, want, got.Rounds[0].Thoughts, raw)
	}
}

func TestTheDiffOfAChangedFileIsOfItsContents(t *testing.T) {
	t.Parallel()
	blobs := eventstest.NewMemory()
	f := open(t, func(c *core.Config) { c.Blobs = blobs })
	before, err := blobs.Put(t.Context(), []byte("old\n"), events.ContentBytesMedia)
	require.NoError(t, err)
	after, err := blobs.Put(t.Context(), []byte("new\nmore\n"), events.ContentBytesMedia)
	require.NoError(t, err)
	f.write("c1", "T-001", "a.go", before.SHA256, after.SHA256)
	got := f.get("/api/changes/diff?path=a.go", access.RightRead).object(t)
	require.Equal(t, "--- a/a.go\n+++ b/a.go\n@@ -1 +1,2 @@\n-old\n+new\n+more\n", got["diff"])
	require.Equal(t, []any{2.0, 1.0}, []any{got["added"], got["removed"]})
	require.Equal(t, http.StatusNotFound, f.get("/api/changes/diff?path=b.go", access.RightRead).status)
	require.Equal(t, http.StatusNotFound, f.get("/api/changes/diff?path=a.go&ticket=T-9", access.RightRead).status)
	require.Equal(t, http.StatusNotFound, f.get("/api/changes/diff?path=a.go&at=2", access.RightRead).status)
}

// write puts an approved call of a ticket that changed a file.
func (f *fixture) write(call, ticket, path, before, after string) {
	f.t.Helper()
	f.put(events.ActorContributor, events.ToolRequested{Call: call, Tool: "edit_file", Args: json.RawMessage(`{}`),
		Ticket: ticket, Attempt: 1, Round: 1})
	f.put(events.ActorApproval, events.ToolApproved{Call: call, Tool: "edit_file", Args: json.RawMessage(`{}`),
		ArgsSHA256: "d", Effect: "writes", Ticket: ticket, Attempt: 1, Generation: 1, By: person})
	f.put("worker-h-1", events.ToolSettled{Call: call, Tool: "edit_file", Outcome: events.ToolDone, Text: "ok",
		ArgsSHA256: "d", Generation: 1, Files: []events.FileState{{Path: path, SHA256: after, Before: before,
			Written: true}}})
}

func TestTicketsOfAClosedSessionNeitherWorkNorWait(t *testing.T) {
	t.Parallel()
	f := open(t)
	f.graph()
	f.begin("T-001")
	f.put(person, events.SessionClosed{Reason: "enough"})
	list := viewOf[views.Tickets](f, "/api/tickets?session="+session)
	begun, todo := list.Tickets[0], list.Tickets[1]
	require.NotNil(t, begun.Ended)
	require.Equal(t, projections.WorkerStopped, begun.Attempts[0].Status)
	require.Empty(t, todo.WaitsFor)
	for _, ticket := range list.Tickets {
		require.Empty(t, ticket.Actions)
	}
}
