package tierstest_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/tierstest"
)

// chaos plays models, workers, timers and people by chance: outcomes come in any
// order, late, twice, broken or not at all as asked; people answer, contradict
// themselves and take control. Sooner or later every request is answered, so
// that a session that stands still is the deciders' fault.
type chaos struct {
	*rand.Rand
	sim     *tierstest.Sim
	pending []events.Payload // what will be said, in any order
	tickets []string
	// requested are the model requests, by id.
	requested map[string]events.ModelRequested
	control   int // requests of people that are left
	rounds    int // replies of tier 3 with calls that are left
	closed    bool
	cut       bool // the session was closed in the middle
}

func newChaos(t *testing.T, seed uint64) *chaos {
	t.Helper()
	c := &chaos{Rand: rand.New(rand.NewPCG(seed, 7)), requested: map[string]events.ModelRequested{},
		sim: tierstest.Session(t, everyDecider()...), control: 8, rounds: 60}
	c.sim.Scatter(c.IntN)
	c.sim.Script(c.react)
	return c
}

// chance is true once in n times.
func (c *chaos) chance(n int) bool { return c.IntN(n) == 0 }

func pick[T any](c *chaos, from ...T) T { return from[c.IntN(len(from))] }

// run plays a session until nobody has anything left to say, and closes it: at
// the end, or, once in eight times, in the middle.
func (c *chaos) run() {
	basis := events.Basis{Decisions: tiers.Decisions()}
	c.sim.Say(events.SessionOpened{Basis: basis, Workspace: "/w", Settings: c.settings()}, toolsOfChaos())
	if c.chance(2) {
		c.sim.Say(modelsOfChaos())
	}
	if c.chance(3) {
		c.sim.Say(events.RuleAdded{Rule: events.Rule{Tool: "*", Action: "allow", Scope: "session", Source: "--yes"}})
	}
	for c.chance(2) {
		c.sim.Say(c.change(), c.change())
	}
	c.sim.Say(events.GoalSubmitted{Goal: "Mend it"})
	end := tierstest.MaxEvents
	if c.chance(8) {
		end = 20 + c.IntN(200)
	}
	for again := true; again; again = !c.cut && c.calm() {
		for len(c.pending) > 0 && !c.cut {
			c.sim.Say(c.next())
			c.cut = len(c.sim.Events()) >= end
		}
	}
	c.closed = true
	c.sim.Say(events.SessionClosed{Reason: "over"})
	for len(c.pending) > 0 {
		c.sim.Say(c.next())
	}
}

// calm lets go whatever a person holds; false when nothing is held.
func (c *chaos) calm() bool {
	paused := 0
	for _, e := range c.sim.Events() {
		switch e.Payload.(type) {
		case events.Paused:
			paused++
		case events.Resumed:
			paused--
		}
	}
	if paused > 0 {
		c.sim.Say(events.ResumeRequested{})
	}
	return paused > 0
}

func (c *chaos) settings() events.Settings {
	s := events.Settings{MaxWorkers: 1 + c.IntN(3), MaxRetries: c.IntN(3), StepMode: c.chance(3),
		SpawnApproval: c.chance(2), QADisabled: c.chance(4), AskTimeoutMS: 60_000}
	if c.chance(2) {
		s.GateTimeoutMS = 60_000
	}
	if c.chance(3) {
		s.Budget = &events.BudgetSettings{SessionMicroDollars: int64(c.IntN(40)), TicketMicroDollars: int64(c.IntN(20))}
	}
	if c.chance(3) {
		s.Providers = []events.ProviderSettings{{Provider: "gemini_cli", Command: "/bin/g"}}
	}
	s.Review = c.chance(3)
	s.Isolation = pick(c, events.IsolationShared, events.IsolationShared, events.IsolationWorktree)
	for tier := 1; tier <= 4; tier++ {
		s.Tiers = append(s.Tiers, events.TierSettings{Tier: tier, Provider: "script", Models: []string{"m0", "m1"},
			MaxRounds: 2 + c.IntN(4)})
	}
	c.staff(&s)
	for _, r := range []events.Rule{
		{Tool: "write", Action: "allow", Args: []string{"src/**"}, Source: "allow-src"}, {Tool: "write", Action: "deny",
			Args: []string{"docs/**"}, Source: "deny-docs"},
		{Tool: "shell", Action: "ask", Source: "ask-shell"}, {Tool: "sh*", Action: "allow", Source: "allow-shell"},
		{Tool: "read", Action: "deny", Args: []string{"secret/*"}, Source: "deny-secret"},
	} {
		if c.chance(3) {
			s.Rules = append(s.Rules, r)
		}
	}
	return s
}

// modelsOfChaos know two models, one of them without a price.
func modelsOfChaos() events.ModelsOffered {
	price := events.ModelPrice{ID: "script/m0", Output: 1_000_000}
	return events.ModelsOffered{Models: []events.ModelOffer{{Provider: "script", Model: "m0", MaxOutputTokens: 5,
		Prices: []events.ModelPrice{price}}, {Provider: "script", Model: "m*"}}}
}

func toolsOfChaos() events.ToolsOffered {
	schema := json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)
	return events.ToolsOffered{Tools: []events.ToolOffer{
		{Name: "read", Effect: "reads", Schema: schema}, {Name: "write", Effect: "writes", Schema: schema},
		{Name: "shell", Effect: "executes", Schema: schema}, {Name: "odd", Effect: "teleports", Schema: schema},
	}}
}

// next takes one thing that will be said.
func (c *chaos) next() events.Payload {
	i := c.IntN(len(c.pending))
	p := c.pending[i]
	c.pending = slices.Delete(c.pending, i, i+1)
	return p
}

func (c *chaos) later(p ...events.Payload) { c.pending = append(c.pending, p...) }

// react notes what an event leads to, and now and then says something of what
// is due while the deciders are still reading.
func (c *chaos) react(e events.Event) []events.Payload {
	c.outcome(e)
	if len(c.pending) == 0 || c.closed || !c.chance(3) {
		return nil
	}
	return []events.Payload{c.next()}
}

func (c *chaos) outcome(e events.Event) {
	switch p := e.Payload.(type) {
	case events.ContextRequested:
		c.later(events.ContextBuilt{Request: e.ID, Views: c.viewsOfChaos(p.Views)})
	case events.ModelRequested:
		c.requested[e.ID] = p
		if !p.Guarded {
			c.model(e.ID, p)
		}
	case events.ModelApproved:
		c.model(p.Request, c.requested[p.Request])
	case events.PreviewRequested:
		c.preview(e.ID, p.Call)
	case events.AskRaised:
		c.answers(p)
	case events.AnswerRefused:
		if strings.HasPrefix(p.Reason, "the edited arguments do not fit") { // the ask is still open
			c.later(events.AskAnswered{Ask: p.Ask, Decision: events.No})
		}
	case events.ToolApproved:
		c.outcomes(p)
	case events.ToolSettled:
		c.secondThoughts(p)
	case events.RefreshRequested:
		c.later(events.FilesUpdated{Request: e.ID, Ticket: p.Ticket,
			Files: pick(c, nil, []events.FileUpdate{{Path: "src/a", Before: "1", After: "2", Diff: "-a\n+b\n"}})})
	case events.WorkspaceRequested:
		c.later(events.WorkspacePrepared{Request: e.ID, Ticket: p.Ticket, Attempt: p.Attempt, Name: p.Name, Path: "/p/" +
			p.Name, Error: pick(c, "", "", "", "the disk is full")})
	case events.MergeRequested:
		for range 1 + c.IntN(2) { // a second word does not count
			c.later(events.MergeSettled{Request: e.ID, Ticket: p.Ticket, Attempt: p.Attempt, Try: p.Try,
				Outcome: pick(c, events.MergeDone, events.MergeDone, events.MergeConflict, events.MergeFailed)})
		}
	case events.TicketReady:
		c.tickets = append(c.tickets, p.Ticket)
	}
	if c.control > 0 && len(c.tickets) > 0 && c.chance(30) {
		c.control--
		c.later(c.mutation())
	}
	if c.control > 0 && len(c.tickets) > 0 && c.chance(25) {
		c.control--
		ticket := pick(c, c.tickets...)
		c.later(pick[events.Payload](c, events.KillRequested{Ticket: ticket},
			events.NoteRequested{Ticket: ticket, Note: "use v2"},
			events.RetryRequested{Ticket: ticket, Note: "use v2"}, events.BlockRequested{Ticket: ticket},
			events.UnblockRequested{Ticket: ticket}, events.PauseRequested{}, events.ResumeRequested{},
			events.StepModeSet{On: c.chance(2)},
			c.change(), c.change(), modelsOfChaos(), events.BudgetRaiseRequested{Budget: "session", LimitMicroDollars: 60},
			events.Malformed{Name: "GraphMutationRequested", Version: 1, Reason: "cut"}, events.Malformed{Name: "TierChanged",
				Version: 1, Reason: "cut"},
			events.FilesTracked{Patterns: []string{"*"}, Paths: []string{"src/a", "src/b"}}, events.ContextInjectionRequested{
				Path: "src/a", View: events.ViewRaw},
			tierstest.By(events.ActorGateway, events.ProjectLoaded{Path: "p.toml", Document: json.RawMessage(`{}`)}),
			events.DiscussionChanged{Operation: events.DiscussionReplace, Entries: json.RawMessage(`[]`)},
			events.RuleAdded{Rule: events.Rule{Tool: "odd", Action: "deny", Source: "late-deny"}}, tierstest.By(tierstest.Agent,
				events.AskPosted{RequestID: "r-" + fmt.Sprint(c.control)})))
	}
}

// secondThoughts are what a person may want after a call: all of it back, or a
// patch that mends it.
func (c *chaos) secondThoughts(p events.ToolSettled) {
	if c.control > 0 && c.chance(8) {
		c.control--
		c.later(pick[events.Payload](c, events.UndoRequested{Call: p.Call}, events.UndoRequested{ToSeq: 9},
			events.UndoRequested{Ticket: pick(c, append(c.tickets, "nobody")...)}, events.UndoRequested{},
			events.PatchRequested{Call: p.Call}, events.PatchRequested{Call: "nobody"}))
	}
	if p.Tool == "shell" && p.Outcome == events.ToolFailed && c.chance(4) {
		c.later(events.PatchRequested{Call: p.Call})
	}
}

// change is a word about the settings; now and then one that may not count.
func (c *chaos) change() events.Payload {
	number, on := c.IntN(7)-1, c.chance(2)
	return pick[events.Payload](c, events.TierChanged{Tier: pick(c, 0, 0, 3, 9), Provider: pick(c, "script", "gemini-cli",
		"gemini_cli"), Models: pick(c, nil, []string{"n0", "n1"}, []string{""})},
		events.TierChanged{Tier: 3, MaxRounds: &number}, events.ProviderChanged{Provider: "gemini_cli",
			Command: pick(c, "", "/bin/g", "g")},
		events.SettingsChanged{MaxWorkers: &number, MaxRetries: &number}, events.SettingsChanged{SpawnApproval: &on,
			QADisabled: &on})
}

// mutation is a person's wish for more work, or other work, or another order.
func (c *chaos) mutation() events.Payload {
	a, b := pick(c, c.tickets...), pick(c, c.tickets...)
	if c.chance(3) {
		return events.WorkerSpawnRequested{Prompt: "Mend it too", RequestID: fmt.Sprint("w-", c.IntN(3)),
			Model: pick(c, "", "m7")}
	}
	ops := []events.GraphOp{
		{Op: events.GraphAddTicket, Ticket: fmt.Sprint("N-", c.control), New: &events.Ticket{Description: "do it too",
			DependsOn: []string{a}, PersonaID: pick(c, "", "ada", "nobody")}},
		{Op: events.GraphAddDependency, Ticket: fmt.Sprint("N-", c.control), Dependency: b},
		{Op: events.GraphAddTicket, Ticket: pick(c, "TR-1-3", "TR-2-0", "TR-2-1", "t2-0", "t1-3"),
			New: &events.Ticket{Description: "of an id that a plan may want", DependsOn: []string{a}}},
		{Op: events.GraphSetPriority, Ticket: a, Priority: "high"},
		{Op: events.GraphAddDependency, Ticket: a, Dependency: b},
		{Op: events.GraphRemoveDependency, Ticket: a, Dependency: b},
		{Op: events.GraphRemoveTicket, Ticket: a},
		{Op: events.GraphSetStepMode, Ticket: a, StepMode: true},
	}
	from := c.IntN(len(ops))
	return events.GraphMutationRequested{Ops: ops[from : from+1+c.IntN(min(2, len(ops)-from))]}
}

// model answers a request, or fails it.
func (c *chaos) model(id string, r events.ModelRequested) {
	if c.chance(10) {
		c.later(events.ModelFailed{Request: id, Kind: pick(c, events.ModelOverloaded, events.ModelNetwork, events.ModelAuth,
			events.ModelExhausted), Message: "oh"})
		return
	}
	p := events.ModelReplied{Request: id, Finish: "stop", Usage: events.Usage{Output: int64(c.IntN(12))}}
	switch r.Tier {
	case 1:
		p.Text = tracks(1 + c.IntN(2))
	case 2:
		p.Text = c.plan(r.Track)
		if r.Ticket != "" {
			p.Text = pick(c, `[{"verdict":"approve"}]`, `[{"verdict":"approve"}]`,
				`[{"verdict":"send_back","reasons":["no test"]}]`, "I like it.")
		}
	case 3:
		c.contribute(id, &p)
	case 4:
		p.Text = pick(c, "missing import", "missing import", "", "--- a/src/a\n+++ b/src/a\n@@ -1 +1 @@\n-a\n+b\n")
	}
	p.SHA256 = events.Digest([]byte(p.Text))
	c.later(p)
	if c.chance(10) {
		c.later(events.ModelReplied{Request: id, Text: "a second reply", Finish: "stop"})
	}
}

func (c *chaos) plan(track string) string {
	var items []string
	for i := range 1 + c.IntN(4) {
		deps := ""
		if i > 0 && c.chance(2) {
			deps = fmt.Sprintf("%q", fmt.Sprintf("%s-%d", track, c.IntN(i)))
		}
		items = append(items,
			fmt.Sprintf(`{"id":"%s-%d","description":"do it","target_file":"%s","depends_on":[%s],"persona_id":%q}`, track, i,
				pick(c, "", "", "src/a", "./src/a"), deps, pick(c, "", "", "ada", "theirs")))
	}
	return "[" + strings.Join(items, ",") + "]"
}

func (c *chaos) contribute(id string, p *events.ModelReplied) {
	if c.rounds == 0 || c.chance(3) {
		p.Text, p.Finish = pick(c, "DONE: it is.", "DONE: it is.", "DONE: it is.", "DONE: it is.", "I will edit it now.",
			"<tool_call>{}</tool_call>", "BLOCKED: no such file", ""), pick(c, "stop", "stop", "stop", "max_tokens")
		return
	}
	c.rounds--
	for i := range 1 + c.IntN(3) {
		call := events.ToolCall{ID: events.CallID(id, i), Name: pick(c, "read", "write", "shell", "odd", "unknown"),
			Args: json.RawMessage(pick(c, `{"path":"src/a"}`, `{"path":"src/b"}`, `{"path":"docs/a"}`, `{"path":"secret/a"}`,
				`{"path":"../x"}`, `{"path":7}`))}
		if c.chance(10) {
			call.Args, call.Malformed = json.RawMessage(`{}`), "no JSON"
		}
		p.Calls = append(p.Calls, call)
	}
	p.Finish = "tool_calls"
}

func (c *chaos) preview(request, call string) {
	if c.chance(8) {
		c.later(tierstest.On(request, events.ToolParked{Call: call, Reason: "handed out too often"}))
		return
	}
	c.later(tierstest.On(request, events.PreviewBuilt{Call: call, Diff: "-a\n+b\n", Error: pick(c, "", "no such file")}))
	if c.chance(5) {
		c.later(tierstest.On(request, events.PreviewBuilt{Call: call, Diff: "another"}))
	}
}

// answers gives an ask one answer that counts, unless its time is over before,
// and some that do not.
func (c *chaos) answers(p events.AskRaised) {
	good := events.AskAnswered{Ask: p.Ask, Decision: pick(c, events.Yes, events.Yes, events.Yes, events.No)}
	if good.Decision == events.Yes && c.chance(3) {
		switch p.Gate {
		case events.GateTool:
			good.Args = json.RawMessage(pick(c, `{"path":"src/edited"}`, `{"path":"docs/edited"}`, string(p.Args)))
		case events.GateSpawn:
			good.Args = json.RawMessage(pick(c, `{"prompt":"Mend it well"}`, `{"files":["src/a:outline"]}`, `{"files":[]}`))
		case events.GateStep:
			good.Args = c.stepArgs(p)
		case events.GateBudget:
			good.Args = c.budgetArgs(p)
		case events.GateInterrupted:
			good.Args = json.RawMessage(pick(c, `{"resolution":"done"}`, `{"resolution":"fail"}`, `{"resolution":"retry"}`))
		}
	}
	c.later(tierstest.By(pick(c, "ada", "bob"), good))
	if p.ExpiresAt != nil && c.chance(3) {
		c.later(events.TimerFired{Ask: p.Ask, Due: *p.ExpiresAt})
	}
	if c.chance(3) {
		c.later(pick[events.Payload](c, events.AskAnswered{Ask: p.Ask, Decision: "perhaps"}, events.AskAnswered{Ask: p.Ask,
			Decision: events.Yes, Args: json.RawMessage(`[7]`)},
			events.AskAnswered{Ask: p.Ask, Decision: events.No}, tierstest.By(tierstest.Agent, events.AskAnswered{Ask: p.Ask,
				Decision: events.Yes}),
			tierstest.By(tierstest.Person, events.Malformed{Name: "AskAnswered", Version: 1, Reason: "cut"}),
			events.AskAnswered{Ask: "nobody", Decision: events.Yes},
			events.TimerFired{Ask: p.Ask, Due: tierstest.At(0)}))
	}
}

// stepArgs are what a person edits of a step.
func (c *chaos) stepArgs(p events.AskRaised) json.RawMessage {
	var shown struct {
		Messages []events.StepMessage
		Calls    []events.StepCall
	}
	switch err := json.Unmarshal(p.Args, &shown); {
	case err != nil:
		return nil
	case len(shown.Calls) > 0:
		last := shown.Calls[len(shown.Calls)-1].Call
		return json.RawMessage(pick(c, `{"calls":[]}`, `{"calls":[{"call":"`+last+`"}]}`))
	}
	at := shown.Messages[c.IntN(len(shown.Messages))].Part
	return json.RawMessage(fmt.Sprintf(`{"messages":[{"part":%d,"text":"edited"}]}`, at))
}

// budgetArgs are what a person says to a question about a budget.
func (c *chaos) budgetArgs(p events.AskRaised) json.RawMessage {
	var q events.BudgetQuestion
	if json.Unmarshal(p.Args, &q) != nil || q.Budget == "price" || p.Ticket == "" {
		return json.RawMessage(pick(c, `{}`, `{"action":"stop"}`))
	}
	return json.RawMessage(pick(c, `{}`, `{"action":"stop"}`, `{"limit":900}`, `{"action":"finish_ticket"}`))
}

// outcomes gives an approved call one outcome that counts, and some that do not.
func (c *chaos) outcomes(p events.ToolApproved) {
	s := events.ToolSettled{Call: p.Call, Tool: p.Tool, Outcome: pick(c, events.ToolDone, events.ToolDone,
		events.ToolFailed, events.ToolInterrupted), Text: "text", SHA256: events.Digest([]byte("text")),
		ArgsSHA256: p.ArgsSHA256, Generation: p.Generation, Files: []events.FileState{{Path: "src/a", SHA256: "1",
			Written: p.Tool == "write"}}}
	if p.Tool == "shell" {
		s.Interpreter = "bash"
	}
	c.later(pick[events.Payload](c, s, s, s, s, s, events.ToolParked{Call: p.Call, Tool: p.Tool,
		Reason: "handed out too often"}))
	if c.chance(3) {
		wrong := s
		switch c.IntN(3) {
		case 0:
			wrong.Generation--
		case 1:
			wrong.ArgsSHA256 = "ab"
		case 2:
			wrong.Outcome = events.ToolFailed
		}
		c.later(wrong)
	}
}
