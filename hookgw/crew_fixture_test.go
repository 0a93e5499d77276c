package hookgw_test

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"github.com/oklog/ulid/v2"
	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/projections"
	"manualslop/tiers"
	"manualslop/tiers/approval"
	"manualslop/tiers/conductor"
	"manualslop/tiers/contributor"
)

// silence is what a model says that never answers.
const silence = "(nothing)"

// crew opens a session, runs the real deciders of tickets in it, and plays models and workers: each
// request of tier 3 gets the next reply; a reply
// that is a JSON object is a call of run_powershell with it.
func crew(t testing.TB, change func(*events.Settings), replies ...string) *fixture {
	t.Helper()
	return crewIn(openEmpty(t), change, replies...)
}

// crewIn is crew on a gateway that has no session yet.
func crewIn(f *fixture, change func(*events.Settings), replies ...string) *fixture {
	f.t.Helper()
	s := events.Settings{MaxWorkers: 4, Tiers: []events.TierSettings{{Tier: 3, Provider: "script", Models: []string{"m0"},
		MaxRounds: 10}}}
	if change != nil {
		change(&s)
	}
	f.put(person, events.SessionOpened{Folder: "20260102_030405", Workspace: "/w", Settings: s})
	f.put(person, events.ToolsOffered{Tools: []events.ToolOffer{{Name: "run_powershell", Description: "Run.",
		Effect: "executes",
		Schema: json.RawMessage(`{"type":"object","properties":{"script":{"type":"string"}},"required":["script"]}`)}}})
	f.deciding(map[string]func() *tiers.Machine{
		events.ActorConductor:   func() *tiers.Machine { return conductor.Decider().Start() },
		events.ActorContributor: func() *tiers.Machine { return contributor.Decider().Start() },
		events.ActorApproval:    func() *tiers.Machine { return approval.Decider().Start() },
	})
	ctx, cancel := context.WithCancel(context.WithoutCancel(f.t.Context()))
	done := make(chan struct{})
	go func() { defer close(done); f.play(ctx, replies) }()
	f.t.Cleanup(func() { cancel(); <-done })
	return f
}

// play answers what the deciders ask of the world, until ctx ends.
func (f *fixture) play(ctx context.Context, replies []string) {
	_, feed, err := f.log.Watch(ctx, events.Filter{Project: project, Session: session}, 1)
	if err != nil {
		return
	}
	registry := events.Catalogue()
	for e, err := range feed {
		if err != nil {
			return
		}
		registry.Decode(&e)
		actor, p := outcomeOf(&e, &replies)
		if p == nil {
			continue
		}
		fact, err := events.New(events.Origin{ID: ulid.Make().String(), Time: time.Now(), Project: project, Session: session,
			Actor: actor, Cause: e.ID, N: 1}, p)
		if err != nil {
			return
		}
		if _, err := f.as(actor).Append(ctx, fact, nil); err != nil {
			return
		}
	}
}

func outcomeOf(e *events.Event, replies *[]string) (string, events.Payload) {
	const worker = "worker-test-1"
	switch p := e.Payload.(type) {
	case events.ContextRequested:
		return worker, events.ContextBuilt{Request: e.ID}
	case events.RefreshRequested:
		return worker, events.FilesUpdated{Request: e.ID, Ticket: p.Ticket}
	case events.ToolApproved:
		return worker, events.ToolSettled{Call: p.Call, Tool: p.Tool, Outcome: events.ToolDone, Text: string(p.Args),
			SHA256: events.Digest(p.Args), ArgsSHA256: p.ArgsSHA256, Generation: p.Generation}
	case events.ModelRequested:
		if len(*replies) == 0 || (*replies)[0] == silence {
			return "", nil
		}
		text := (*replies)[0]
		*replies = (*replies)[1:]
		r := events.ModelReplied{Request: e.ID, Text: text, Finish: "stop", Usage: events.Usage{Input: 100, Output: 10,
			CacheRead: 50}}
		if text[0] == '{' {
			r.Text, r.Finish = "", "tool_calls"
			r.Calls = []events.ToolCall{{ID: events.CallID(e.ID, 0), Name: "run_powershell", Args: json.RawMessage(text)}}
		}
		r.SHA256 = events.Digest([]byte(r.Text))
		return events.ActorModels, r
	}
	return "", nil
}

// awaitAction waits until a call waits for its yes and returns its id.
func (f *fixture) awaitAction() string {
	f.t.Helper()
	var id string
	require.NoError(f.t, f.models.Await(f.t.Context(), session, func(s *projections.Set) bool {
		for _, a := range s.OpenAsks() {
			id = a.AskRaised.Ask
		}
		return id != ""
	}))
	return id
}

// awaitWorkers waits until the workers are as holds wants them.
func (f *fixture) awaitWorkers(holds func(projections.Workers) bool) {
	f.t.Helper()
	require.NoError(f.t, f.models.Await(f.t.Context(), session, func(s *projections.Set) bool {
		return holds(s.Workers())
	}))
}
