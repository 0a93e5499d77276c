package projections_test

import (
	"encoding/json"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
)

func itoa(n int) string { return strconv.Itoa(n) }

// decoded passes events through their stored form, as a log gives them back.
func decoded(t testing.TB, log []events.Event) []events.Event {
	t.Helper()
	registry := events.Catalogue()
	out := make([]events.Event, len(log))
	for i, e := range log {
		raw, err := json.Marshal(e)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(raw, &out[i]))
		out[i].Seq = e.Seq
		registry.Decode(&out[i])
	}
	return out
}

// story is a session in the making.
type story struct {
	t    testing.TB
	log  []events.Event
	set  *projections.Set
	last events.Event
}

func tell(t testing.TB) *story {
	t.Helper()
	return &story{t: t, set: projections.NewSet()}
}

// opened is a story whose session is open.
func opened(t testing.TB, settings events.Settings) *story {
	t.Helper()
	s := tell(t)
	s.by("ada", events.SessionOpened{Label: "demo", Folder: "20260102_030405_demo", Settings: settings})
	return s
}

// at is the time of the n-th event.
func at(n uint64) time.Time {
	return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC).Add(time.Duration(n) * time.Second)
}

// by appends a fact and returns its id.
func (s *story) by(actor string, p events.Payload) string {
	s.t.Helper()
	n := uint64(len(s.log) + 1)
	e, err := events.New(events.Origin{ID: "E" + itoa(int(n)), Time: at(n), Project: "p1", Session: "S1", Actor: actor,
		Cause: s.last.ID}, p)
	require.NoError(s.t, err)
	e.Seq = n
	s.add(e)
	return e.ID
}

func (s *story) add(e events.Event) {
	s.t.Helper()
	switch e.Payload.(type) {
	case events.Unknown, events.Malformed:
	default:
		e.Payload = nil
		events.Catalogue().Decode(&e)
	}
	s.log = append(s.log, e)
	s.last = e
	s.set.Apply(&e)
}

// asks writes a model request of a ticket and returns its id.
func (s *story) asks(ticket string, tier int) string {
	s.t.Helper()
	actor := [...]string{"", events.ActorPlanner, events.ActorLead, events.ActorContributor, events.ActorQA}[tier]
	m := events.ModelRequested{StreamID: "Tier " + itoa(tier), Ticket: ticket, Attempt: 1, Tier: tier, Provider: "script",
		Model: "m" + itoa(tier)}
	if tier == 3 {
		m.StreamID, m.TicketAttempt = "Tier 3 (Worker): "+ticket, 1
	}
	return s.by(actor, m)
}

func (s *story) replies(request, text string, tools ...string) string {
	s.t.Helper()
	r := events.ModelReplied{Request: request, Text: text, SHA256: events.Digest([]byte(text)), Finish: "stop",
		Usage: events.Usage{Input: 10, Output: 2}}
	for i, name := range tools {
		r.Calls = append(r.Calls, events.ToolCall{ID: events.CallID(request, i), Name: name, Args: json.RawMessage(`{}`)})
	}
	return s.by(events.ActorModels, r)
}

// approved writes a call up to its approval and returns its id.
func (s *story) approved(call, tool, ticket string) string {
	s.t.Helper()
	s.by(events.ActorContributor, events.ToolRequested{Call: call, Tool: tool, Args: json.RawMessage(`{}`), Ticket: ticket,
		Attempt: 1, Round: 1})
	s.by(events.ActorApproval, events.ToolApproved{Call: call, Tool: tool, Args: json.RawMessage(`{}`), ArgsSHA256: "d",
		Effect: "reads", Ticket: ticket, Generation: 1, By: "rule"})
	return call
}

// outcome is the first valid outcome of a call of tool.
func outcome(call, tool, text string) events.ToolSettled {
	return events.ToolSettled{Call: call, Tool: tool, Outcome: events.ToolDone, Text: text,
		SHA256: events.Digest([]byte(text)), ArgsSHA256: "d", Generation: 1, DurationMS: 3}
}

// planned is a story with one started track and todo tickets.
func planned(t testing.TB, ids ...string) (*story, string) {
	t.Helper()
	s := opened(t, events.Settings{MaxWorkers: 2})
	goal := s.by("ada", events.GoalSubmitted{Goal: "Mend the parser"})
	track := events.Track{ID: "TR-1", Title: "Parser", Description: "Mend it"}
	s.by(events.ActorPlanner, events.TracksProposed{Goal: goal, Tracks: []events.Track{track}})
	s.by(events.ActorConductor, events.TrackStarted{Goal: goal, Track: track})
	tickets := make([]events.Ticket, len(ids))
	for i, id := range ids {
		tickets[i] = events.Ticket{ID: id, Description: "Do " + id, Status: events.StatusTodo, AssignedTo: "tier3-worker",
			Priority: "medium"}
	}
	s.by(events.ActorLead, events.TicketsPlanned{Track: "TR-1", Tickets: tickets})
	return s, goal
}
