package hookgw_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/tiers/basis"
)

// attachedTo returns the discussion that was attached last.
func (f *fixture) attachedTo() events.TalkAttached {
	f.t.Helper()
	return f.expect("TalkAttached", func(events.Event) bool { return true }).Payload.(events.TalkAttached)
}

func TestADiscussionIsAttachedToAGoal(t *testing.T) {
	t.Parallel()
	f := openEmpty(t)
	f.put("operator", events.SessionOpened{Label: "demo", Folder: "20260102_030405_demo", Basis: basis.Of("test")})
	f.says("/api/discussions/entries/add", `{"content":"It fails on empty input."}`, http.StatusOK)
	a := f.says("/api/goal", `{"goal":"Mend it","track":true,"discussion":"main"}`, http.StatusOK)
	talk := f.attachedTo()
	require.Equal(t, a.object(t)["goal"], talk.To)
	require.Equal(t, "main", talk.Discussion)
	require.Len(t, talk.Entries, 1)
	goal := f.expect("GoalSubmitted", func(events.Event) bool { return true })
	require.Equal(t, talk.To, goal.ID)
	require.True(t, goal.Payload.(events.GoalSubmitted).Track)
}

func TestADiscussionIsAttachedToAWorker(t *testing.T) {
	t.Parallel()
	f := openEmpty(t, func(c *core.Config) { c.Limits.SettleWait = time.Millisecond })
	f.put("operator", events.SessionOpened{Label: "demo", Folder: "20260102_030405_demo", Basis: basis.Of("test")})
	f.says("/api/discussions/entries/add", `{"content":"It fails on empty input."}`, http.StatusOK)
	f.says("/api/mma/workers/spawn", `{"prompt":"Mend it","discussion":"main"}`, http.StatusAccepted)
	talk := f.attachedTo()
	request := f.expect("WorkerSpawnRequested", func(events.Event) bool { return true })
	require.Equal(t, request.ID, talk.To)
	ticket := events.WorkerTicket(request.ID)
	f.put(events.ActorConductor, events.TicketsAdded{Request: request.ID, Track: events.Track{ID: "TR-1"},
		Tickets: []events.Ticket{{ID: ticket, Description: "Mend it", Status: events.StatusTodo}}})
	tickets := read[struct {
		Tickets []struct{ ID, Discussion string }
	}](f, "/api/tickets")
	require.Equal(t, ticket, tickets.Tickets[0].ID)
	require.Equal(t, "main", tickets.Tickets[0].Discussion)
}

func TestADiscussionThatCannotBeAttachedChangesNothing(t *testing.T) {
	t.Parallel()
	f := openEmpty(t)
	f.put("operator", events.SessionOpened{Label: "demo", Folder: "20260102_030405_demo", Basis: basis.Of("test")})
	for path, work := range map[string]string{"/api/goal": `"goal":"Mend it"`, "/api/mma/workers/spawn": `"prompt":"x"`} {
		requireProblem(t, f.says(path, `{`+work+`,"discussion":"gone"}`, http.StatusNotFound), "no such discussion")
		requireProblem(t, f.says(path, `{`+work+`,"discussion":"main"}`, http.StatusConflict), "the discussion is empty")
		requireProblem(t, f.says(path, `{`+work+`,"discussion":7}`, http.StatusBadRequest), "")
	}
	requireProblem(t, f.says("/api/goal", `{"goal":"x","solo":true,"track":true}`, http.StatusBadRequest),
		"must not both be set")
	f.says("/api/discussions/create", `{"name":"large"}`, http.StatusOK)
	full := strings.Repeat("x", 256<<10)
	for range events.MaxTalkBytes / len(full) {
		f.says("/api/discussions/entries/add", fmt.Sprintf(`{"discussion":"large","content":"%s"}`, full), http.StatusOK)
	}
	f.says("/api/discussions/entries/add", `{"discussion":"large","content":"y"}`, http.StatusOK)
	requireProblem(t, f.says("/api/goal", `{"goal":"x","discussion":"large"}`, http.StatusRequestEntityTooLarge),
		"at most 524288 are allowed")
	f.put(person, events.SessionClosed{Reason: "over"})
	requireProblem(t, f.says("/api/goal", `{"goal":"x","discussion":"main"}`, http.StatusConflict), "the session is closed")
}

func TestAnOldSessionAttachesNoDiscussion(t *testing.T) {
	t.Parallel()
	f := open(t) // without decisions
	f.says("/api/discussions/entries/add", `{"content":"one"}`, http.StatusOK)
	requireProblem(t, f.says("/api/goal", `{"goal":"x","discussion":"main"}`, http.StatusConflict),
		"uses the decisions of an older program")
}

func TestATicketIsOpenedAndGivenBack(t *testing.T) {
	t.Parallel()
	f := openEmpty(t, func(c *core.Config) { c.Limits.SettleWait = time.Millisecond })
	f.put("operator", events.SessionOpened{Label: "demo", Folder: "20260102_030405_demo", Basis: basis.Of("test")})
	ticket := events.Ticket{ID: "T-1", Description: "Mend it", Status: events.StatusTodo}
	f.put(events.ActorConductor, events.TicketsAdded{Request: "R", Track: events.Track{ID: "TR-1"},
		Tickets: []events.Ticket{ticket}})
	f.put(events.ActorConductor, events.TicketStarted{Track: "TR-1", Ticket: ticket, Attempt: 1})
	asked := f.put(events.ActorContributor, events.ModelRequested{Ticket: "T-1", Tier: 3, Attempt: 1, TicketAttempt: 1})
	f.put(events.ActorModels, events.ModelReplied{Request: asked.ID, Text: "BLOCKED: which file?"})
	open, give := "/api/discussions/open", `{"action":"retry","ticket":"T-1","discussion":"T-1"}`
	requireProblem(t, f.says(open, `{"ticket":"T-1"}`, http.StatusConflict), "it is in_progress")
	requireProblem(t, f.says("/api/control", give, http.StatusConflict), "it is in_progress")
	requireProblem(t, f.says(open, `{"ticket":"gone"}`, http.StatusConflict), "there is no such ticket")
	f.put(events.ActorConductor, events.TicketBlocked{Ticket: "T-1", Kind: events.BlockWorker, Reason: "which file?"})
	requireProblem(t, f.says("/api/control", give, http.StatusNotFound), "no such discussion")
	require.JSONEq(t, `{"status":"ok","name":"T-1"}`, string(f.says(open, `{"ticket":"T-1"}`, http.StatusOK).body))
	f.says("/api/discussions/entries/add", `{"discussion":"T-1","content":"a.go"}`, http.StatusOK)
	_, said := talkOf(f, "T-1")
	require.Equal(t, []string{"BLOCKED: which file?", "a.go"}, said)
	f.says("/api/control", give, http.StatusAccepted)
	talk := f.attachedTo()
	require.Equal(t, "T-1", talk.To)
	require.Len(t, talk.Entries, 2)
	f.expect("RetryRequested", func(events.Event) bool { return true })
	f.put(events.ActorConductor, events.TicketCompleted{Ticket: "T-1"})
	requireProblem(t, f.says(open, `{"ticket":"T-1"}`, http.StatusConflict), "it is completed")
	f.put(person, events.SessionClosed{Reason: "over"})
	requireProblem(t, f.says(open, `{"ticket":"T-1"}`, http.StatusConflict), "the session is closed")
}
