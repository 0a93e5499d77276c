package sessiongen

import (
	"fmt"

	"manualslop/events"
)

// open writes everything up to the plan of the only track.
func (g *generator) open(n int) {
	g.emit(person, events.SessionOpened{Label: "made", Folder: g.at.Format("20060102_150405") + "_made", Workspace: "/w",
		Settings: events.Settings{
			MaxWorkers: atWork, MaxRetries: 2, AskTimeoutMS: 60_000, ToolTimeoutMS: 60_000,
			Tiers: []events.TierSettings{{Tier: 1, Provider: "script", Models: []string{"m1"}}, {Tier: 3, Provider: "script",
				Models: []string{"m3"}}},
		}})
	g.emit(person, events.ToolsOffered{Tools: []events.ToolOffer{
		{Name: "read_file", Description: "Read a file.", Effect: "reads", Schema: []byte(`{"type":"object"}`)},
		{Name: "edit_file", Description: "Edit a file.", Effect: "writes", Schema: []byte(`{"type":"object"}`)},
		{Name: "run_powershell", Description: "Run a script.", Effect: "executes", Schema: []byte(`{"type":"object"}`)},
	}})
	g.emit(person, events.GUITaskQueued{
		Task: []byte(`{"action":"set_value","item":"mma_epic_input","value":"Mend the parser"}`)})
	g.goal = g.emit(person, events.GoalSubmitted{Goal: "Mend the parser: " + g.words(200)}).ID
	track := events.Track{ID: trackID, Title: "Parser", Description: g.words(300), Modules: []string{"parse"},
		Severity: "high"}
	g.ask(events.ActorPlanner, events.ModelRequested{StreamID: "Tier 1", Goal: g.goal, Tier: 1},
		events.ModelReplied{Text: `[{"id":"TR-1"}] ` + g.words(300)})
	g.emit(events.ActorPlanner, events.TracksProposed{Goal: g.goal, Tracks: []events.Track{track}})
	g.emit(events.ActorConductor, events.TrackStarted{Goal: g.goal, Track: track})
	g.ask(events.ActorLead, events.ModelRequested{StreamID: "Tier 2", Goal: g.goal, Track: trackID, Tier: 2},
		events.ModelReplied{Text: g.words(700)})
	for i := range max(2, min(40, n/40)) {
		t := events.Ticket{ID: fmt.Sprintf("T-%03d", i+1), Description: g.words(150), Status: events.StatusTodo,
			AssignedTo: "tier3-worker",
			TargetFile: fmt.Sprintf("parse/file%d.go", i), ContextRequirements: []string{"parse/doc.go"}, DependsOn: []string{},
			Priority: "medium"}
		g.tickets = append(g.tickets, &ticket{Ticket: t})
	}
	planned := make([]events.Ticket, len(g.tickets))
	for i, t := range g.tickets {
		planned[i] = t.Ticket
	}
	g.emit(events.ActorLead, events.TicketsPlanned{Track: trackID, Tickets: planned})
}

// askFor writes a ticket's next model request, with all of its parts, and the reply.
func (g *generator) askFor(t *ticket, m events.ModelRequested, r events.ModelReplied) events.Event {
	m.StreamID, m.Track, m.Ticket, m.Tier, m.TicketAttempt, m.Round = "Tier 3 (Worker): "+t.ID, trackID, t.ID, 3, 1,
		t.rounds
	m.Manifest, m.SHA256 = append([]events.Part{}, t.parts...), digestOf(t.parts)
	whole := m.Manifest
	m.Continue(t.asked, t.before)
	reply := g.ask(events.ActorContributor, m, r)
	t.asked, t.before = reply.Cause, whole
	return reply
}

func digestOf(parts []events.Part) string {
	digest, err := events.ManifestDigest(parts)
	if err != nil {
		panic("sessiongen: " + err.Error()) // parts are made here, so this cannot fail
	}
	return digest
}

// ask writes a model request and its reply.
func (g *generator) ask(decider string, m events.ModelRequested, r events.ModelReplied) events.Event {
	m.Attempt, m.Provider, m.Model = 1, "script", fmt.Sprintf("m%d", m.Tier)
	if m.SHA256 == "" {
		m.Manifest = []events.Part{{Role: "system", Text: g.words(300)}, {Role: "user", Text: g.words(200)}}
		m.SHA256 = digestOf(m.Manifest)
	}
	request := g.emit(decider, m)
	r.Request = request.ID
	for i := range r.Calls {
		r.Calls[i].ID = events.CallID(request.ID, i)
	}
	r.SHA256 = events.Digest([]byte(r.Text))
	r.Finish, r.Model, r.DurationMS = "stop", m.Model, int64(g.random.IntN(4000))
	r.Usage = events.Usage{Input: int64(1000 + g.random.IntN(9000)), Output: int64(g.random.IntN(800))}
	return g.emit(events.ActorModels, r)
}

// start writes the start of a ticket and the views in its prompt.
func (g *generator) start(t *ticket) *ticket {
	g.emit(events.ActorConductor, events.TicketReady{Ticket: t.ID})
	g.emit(events.ActorConductor, events.SpawnRequested{Ticket: t.ID, Attempt: 1, Model: "m3", Prompt: t.Description})
	g.emit(events.ActorApproval, events.SpawnApproved{Ticket: t.ID, Attempt: 1, By: "rule"})
	started := t.Ticket
	started.Status = events.StatusInProgress
	g.emit(events.ActorConductor, events.TicketStarted{Track: trackID, Ticket: started, Attempt: 1, Model: "m3",
		Prompt: t.Description})
	request := g.emit(events.ActorContributor, events.ContextRequested{Tier: 3, Track: trackID, Ticket: t.ID, Attempt: 1,
		Views: []events.ViewRequest{{Path: t.TargetFile, View: events.ViewRaw}}})
	text := g.lines(3000)
	sum := events.Digest([]byte(text))
	built := g.emit("worker-made-1", events.ContextBuilt{Request: request.ID,
		Views: []events.View{{Path: t.TargetFile, View: events.ViewRaw, Text: text,
			SHA256: sum, Size: int64(len(text)), File: &events.FileState{Path: t.TargetFile, SHA256: sum,
				Size: int64(len(text))}}}})
	t.parts = []events.Part{
		{Role: "system", Text: g.words(400)},
		{Role: "user", Text: "# Ticket " + t.ID + "\n\n" + t.Description},
		{Role: "user", SHA256: sum, Size: int64(len(text)), From: built.ID},
	}
	return t
}

// finish writes a ticket's last round and its end.
func (g *generator) finish(t *ticket) {
	t.rounds++
	g.askFor(t, events.ModelRequested{}, events.ModelReplied{Text: "Done. " + g.words(200)})
	g.emit(events.ActorContributor, events.TicketResolved{Ticket: t.ID, Attempt: 1, Outcome: events.ResolvedDone,
		Text: "Done."})
	g.emit(events.ActorConductor, events.TicketCompleted{Ticket: t.ID})
}
