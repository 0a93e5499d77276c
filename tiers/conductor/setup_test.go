package conductor_test

import (
	"fmt"
	"strings"

	"manualslop/events"
	"manualslop/tiers/tierstest"
)

// goalID is the id of the goal that begin submits.
var goalID = tierstest.ID(2)

func opened(change ...func(*events.Settings)) events.Payload {
	s := events.Settings{MaxWorkers: 4, MaxRetries: 0, Tiers: []events.TierSettings{{Tier: 3, Provider: "script",
		Models: []string{"m0", "m1", "m2"}}}}
	for _, c := range change {
		c(&s)
	}
	return events.SessionOpened{Settings: s}
}

func workers(n int) func(*events.Settings) { return func(s *events.Settings) { s.MaxWorkers = n } }
func retries(n int) func(*events.Settings) { return func(s *events.Settings) { s.MaxRetries = n } }
func review(s *events.Settings)            { s.PlanReview = true }

func goalSubmitted() events.Payload { return events.GoalSubmitted{Goal: "Mend it"} }

func track(id string) events.Track { return events.Track{ID: id, Description: "Do " + id} }

func proposed(ids ...string) events.Payload { return proposedFor(goalID, ids...) }

func proposedFor(goal string, ids ...string) events.Payload {
	p := events.TracksProposed{Goal: goal}
	for _, id := range ids {
		p.Tracks = append(p.Tracks, track(id))
	}
	return p
}

// tkt reads "T-2 < T-1 T-0": an id and what it depends on. A mark before the id
// sets the priority: + high, - low.
func tkt(line string) events.Ticket {
	id, deps, _ := strings.Cut(line, "<")
	id = strings.TrimSpace(id)
	t := events.Ticket{Status: events.StatusTodo, AssignedTo: "tier3-worker", Priority: "medium",
		ContextRequirements: []string{}, DependsOn: strings.Fields(deps)}
	switch id[0] {
	case '+':
		t.Priority, id = "high", id[1:]
	case '-':
		t.Priority, id = "low", id[1:]
	}
	t.ID, t.Description = id, "Do "+id
	return t
}

func planned(trackID string, lines ...string) events.Payload {
	p := events.TicketsPlanned{Track: trackID}
	for _, l := range lines {
		p.Tickets = append(p.Tickets, tkt(l))
	}
	return p
}

// given joins single payloads and lists.
func given(parts ...any) []events.Payload { return tierstest.Join(parts...) }

// begin is a session with one goal and one track, TR-1.
func begin(change ...func(*events.Settings)) []events.Payload {
	return given(opened(change...), goalSubmitted(), proposed("TR-1"))
}

func approve(id string, attempt int) events.Payload {
	return events.SpawnApproved{Ticket: id, Attempt: attempt, By: "rule"}
}

func done(id string, attempt int) events.Payload {
	return events.TicketResolved{Ticket: id, Attempt: attempt, Outcome: events.ResolvedDone}
}

func gaveUp(id string, attempt int) events.Payload {
	return events.TicketResolved{Ticket: id, Attempt: attempt, Outcome: events.ResolvedBlocked, Reason: "no such file"}
}

// refusedRound is the end of an attempt on a person's no.
func refusedRound(id string, attempt int) events.Payload {
	return events.TicketResolved{Ticket: id, Attempt: attempt, Outcome: events.ResolvedBlocked,
		Reason: "step refused by ada: no", Final: true}
}

// ran is the first attempt at each ticket from approval to done.
func ran(ids ...string) []events.Payload {
	var out []events.Payload
	for _, id := range ids {
		out = append(out, approve(id, 1), done(id, 1))
	}
	return out
}

// failed is the first attempt at a ticket from approval to giving up.
func failed(id string) []events.Payload { return given(approve(id, 1), gaveUp(id, 1)) }

func spawn(id string, attempt int, model string) events.Payload {
	return events.SpawnRequested{Ticket: id, Attempt: attempt, Model: model, Prompt: "Do " + id}
}

func started(line string, attempt, retry int, model string) events.Payload {
	t := tkt(line)
	t.Status, t.RetryCount = events.StatusInProgress, retry
	return events.TicketStarted{Track: "TR-1", Ticket: t, Attempt: attempt, Model: model, Prompt: t.Description}
}

func isReady(id string) events.Payload { return events.TicketReady{Ticket: id} }

func blockedBy(id, dependency string) events.Payload {
	return events.TicketBlocked{Ticket: id, Kind: events.BlockDependency, Reason: "depends on " + dependency +
		", which is blocked"}
}

func blockedWorker(id string) events.Payload {
	return events.TicketBlocked{Ticket: id, Kind: events.BlockWorker, Reason: "no such file"}
}

// stuck is the end of a track that cannot go on.
func stuck(reason string) []events.Payload {
	return given(events.TrackBlocked{Track: "TR-1", Reason: reason},
		events.GoalFailed{Goal: goalID, Reason: "track TR-1 is blocked: " + reason})
}

// finished is the end of the only track of the only goal.
func finished() []events.Payload {
	return given(events.TrackCompleted{Track: "TR-1"}, events.GoalCompleted{Goal: goalID})
}

// refusal is the answer to the newest event of a type.
func refusal(kind, ticket, reason string) events.Payload {
	return tierstest.With(func(h *tierstest.History) events.Payload {
		return events.ControlRefused{Request: h.LastID(kind), Kind: kind, Ticket: ticket, Reason: reason}
	})
}

// numbered are n ids: T-1, T-2 …
func numbered(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("T-%d", i+1)
	}
	return out
}

// decided checks that a fact of P's type was decided.
func decided[P events.Payload]() events.Payload { return tierstest.Decided[P]() }
