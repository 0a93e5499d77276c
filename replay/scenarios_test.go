package replay_test

import (
	"encoding/json"
	"fmt"
	"time"

	"manualslop/events"
)

// scenario is a named way in which a session can go.
type scenario struct {
	name   string
	script script
}

var yesToAll = []events.Rule{{Tool: "*", Action: "allow", Scope: "session", Source: "--yes"}}

// scenarios together make every decider write every type of decision it has,
// as far as the outside can bring it about.
func scenarios() []scenario {
	read, edit, shell := call{"read_file", `{"path":"a.go"}`}, call{"edit_file", `{"path":"a.go","content":"b <&> é"}`},
		call{"run_powershell", `{"script":"make test"}`}
	return []scenario{
		{"plain", script{goal: "Mend the parser", tracks: 1, tickets: 2, rules: yesToAll, rounds: []call{read, edit}}},
		{"two-tracks", script{goal: "Mend both", tracks: 2, tickets: 2, rules: yesToAll, rounds: []call{shell}}},
		{"asked", script{goal: "Mend it", tracks: 1, tickets: 1, rounds: []call{edit, edit, edit}, react: askedReact()}},
		{"failing", script{goal: "Mend it", tracks: 1, tickets: 2, rules: yesToAll, rounds: []call{shell},
			react: failingReact()}},
		{"gated", script{goal: "Mend it", tracks: 1, tickets: 2, rounds: []call{read}, react: gatedReact(),
			settings: func(s *events.Settings) { s.StepMode, s.SpawnApproval, s.PlanReview = true, true, true }}},
		{"interrupted", script{goal: "Mend it", tracks: 1, tickets: 1, rounds: []call{shell, shell, shell}, rules: yesToAll,
			react: interruptedReact()}},
		{"expired", script{goal: "Mend it", tracks: 1, tickets: 1, rounds: []call{shell}, react: expiredReact(),
			settings: func(s *events.Settings) { s.GateTimeoutMS = 1000 }}},
		{"controlled", script{goal: "Mend it", tracks: 1, tickets: 3, rules: yesToAll, rounds: []call{read, read},
			react:    controlledReact(),
			settings: func(s *events.Settings) { s.MaxWorkers = 1 }}},
		{"unplannable", script{goal: "Mend it", tracks: 1, react: unplannableReact}},
		{"posted", script{goal: "Mend it", tracks: 1, tickets: 1, rounds: []call{read}, react: postedReact()}},
		{"changed", script{goal: "Mend it", tracks: 1, tickets: 3, rules: yesToAll, rounds: []call{read, read},
			react:    changedReact(),
			settings: func(s *events.Settings) { s.MaxWorkers = 1 }}},
		{"curated", script{goal: "Mend it", tracks: 1, tickets: 1, rules: yesToAll, rounds: []call{read},
			react: curatedReact()}},
		{"added", script{goal: "Mend it", tracks: 1, tickets: 3, rules: yesToAll, rounds: []call{read}, react: addedReact(),
			settings: func(s *events.Settings) { s.MaxWorkers = 1 }}},
		{"budgeted", script{goal: "Mend it", tracks: 1, tickets: 3, rules: yesToAll, rounds: []call{read, read, read},
			react: budgetedReact(), models: priced(),
			settings: func(s *events.Settings) {
				s.Budget = &events.BudgetSettings{SessionMicroDollars: 60}
			}}},
		{"shortened", script{goal: "Mend it", tracks: 1, tickets: 1, rules: yesToAll, rounds: []call{read, read, read},
			padding: 28_000, models: windowed()}},
		{"noisy", script{goal: "Mend it", tracks: 1, tickets: 1, rounds: []call{edit}, react: noisyReact()}},
		{"isolated", script{goal: "Mend it", tracks: 1, tickets: 3, rules: yesToAll, rounds: []call{edit},
			react:    isolatedReact(),
			settings: func(s *events.Settings) { s.Isolation = events.IsolationWorktree }}},
		{"reviewed", script{goal: "Mend it", tracks: 1, tickets: 2, rules: yesToAll, rounds: []call{edit},
			react:    reviewedReact(),
			settings: func(s *events.Settings) { s.Review = true }}},
		{"patched", script{goal: "Mend it", tracks: 1, tickets: 1, rounds: []call{shell}, react: patchedReact()}},
		{"undone", script{goal: "Mend it", tracks: 1, tickets: 1, rounds: []call{edit}, react: undoneReact()}},
		{"questioned", script{goal: "Mend it", tracks: 1, tickets: 1, rules: yesToAll, rounds: []call{read},
			react: questionedReact()}},
		{"planned", script{goal: "Mend it", plan: true, tracks: 1, tickets: 2, rules: yesToAll, rounds: []call{read},
			react: plannedReact()}},
		{"edited", script{goal: "Mend it", tracks: 1, tickets: 1, rounds: []call{edit, read}, react: editedReact(),
			settings: func(s *events.Settings) { s.StepMode, s.SpawnApproval = true, true }}},
		{"goals", script{goal: "Mend it", tracks: 1, tickets: 1, rules: yesToAll, rounds: []call{edit},
			react: goalsReact()}},
		{"discussed", script{goal: "Mend it", tracks: 1, tickets: 1, rounds: []call{edit}, react: discussedReact()}},
	}
}

// goalsReact is a person with further goals: for the second tier 1 finds one ticket to be enough, the third is solo,
// the fourth has tracks.
func goalsReact() func(*world, *events.Event) bool {
	goals := 1
	return func(w *world, e *events.Event) bool {
		switch p := e.Payload.(type) {
		case events.ModelRequested:
			text := map[[2]int]string{{2, 1}: `[{"one_ticket": true}]`, {4, 1}: `[{"id":"TR-9","description":"Mend it"}]`,
				{4, 2}: `[{"id":"T-9","description":"Mend it"}]`}[[2]int{goals, p.Tier}]
			if text != "" {
				w.reply(e, text)
			}
			return text != ""
		case events.GoalCompleted:
			if goals++; goals <= 4 {
				w.say("ada", "", events.GoalSubmitted{Goal: fmt.Sprintf("Goal %d", goals), Solo: goals == 3})
			}
		}
		return false
	}
}

// questionedReact is a model that asks before it works, and a person who answers.
func questionedReact() func(*world, *events.Event) bool {
	asked := false
	return func(w *world, e *events.Event) bool {
		switch p := e.Payload.(type) {
		case events.ModelRequested:
			if asked || p.Tier != 3 {
				return false
			}
			asked = true
			w.reply(e, "BLOCKED: Which API?\n- v1\n- v2")
			return true
		case events.AskRaised:
			w.say("ada", e.ID, events.AskAnswered{Ask: p.Ask, Decision: events.Yes, Args: json.RawMessage(`{"answer":"v2"}`)})
			return true
		}
		return false
	}
}

// plannedReact is a person who sends a plan back, writes tickets that cannot be planned, and then others.
func plannedReact() func(*world, *events.Event) bool {
	asked := 0
	return func(w *world, e *events.Event) bool {
		p, is := e.Payload.(events.AskRaised)
		if !is || p.Gate != events.GatePlan {
			return false
		}
		asked++
		a := events.AskAnswered{Ask: p.Ask, Decision: events.Yes}
		switch asked {
		case 1:
			a.Decision, a.Reason = events.No, "one ticket is enough"
		case 2:
			a.Args = json.RawMessage(`{"tickets":[{"id":"A","description":"Do it","depends_on":["A"]}]}`)
		case 3:
			a.Args = json.RawMessage(`{"tickets":[{"id":"A","description":"Do it"},` +
				`{"id":"B","description":"Then this","depends_on":["A"]}]}`)
		}
		w.say("ada", e.ID, a)
		return true
	}
}

// discussedReact requests two turns of a discussion at once, of which the second is refused, and
// then one that the person stops.
func discussedReact() func(*world, *events.Event) bool {
	ended := 0
	return func(w *world, e *events.Event) bool {
		switch p := e.Payload.(type) {
		case events.GoalCompleted:
			for _, text := range []string{"What did you change?", "And why?"} {
				w.say("ada", "", events.TurnRequested{Discussion: "main", Text: text})
			}
		case events.TurnEnded:
			if ended++; ended == 2 {
				w.say("ada", "", events.TurnRequested{Discussion: "main", Text: "Is it tested?"})
			}
		case events.ModelRequested:
			if ended == 2 {
				w.say("ada", "", events.KillRequested{Ticket: p.Ticket})
				return true
			}
		}
		return false
	}
}

// isolatedReact makes places for attempts and merges them; the first merge is a
// conflict that a person resolves, the second one he gives up.
func isolatedReact() func(*world, *events.Event) bool {
	merges := 0
	return func(w *world, e *events.Event) bool {
		switch p := e.Payload.(type) {
		case events.WorkspaceRequested:
			w.say(w.worker(), e.ID, events.WorkspacePrepared{Request: e.ID, Ticket: p.Ticket, Attempt: p.Attempt, Name: p.Name,
				Path: "/w/.slop/worktrees/S/" + p.Name, Branch: "slop-tickets/S/" + p.Name, Base: "ab"})
		case events.MergeRequested:
			merges++
			out := events.MergeSettled{Request: e.ID, Ticket: p.Ticket, Attempt: p.Attempt, Try: p.Try,
				Outcome: events.MergeDone, Branch: "slop/S", Commit: "cd"}
			if merges <= 2 {
				out.Outcome, out.Commit, out.Onto, out.Files = events.MergeConflict, "", "ef", []string{"a.go"}
			}
			w.say(w.worker(), e.ID, out)
		case events.AskRaised:
			a := events.AskAnswered{Ask: p.Ask, Decision: events.Yes}
			switch {
			case p.Gate == events.GateMerge && merges == 2:
				a.Decision = events.No
			case p.Gate == events.GateMerge:
				a.Args = json.RawMessage(`{"take":{"a.go":"ticket"}}`)
			}
			w.say("ada", e.ID, a)
		default:
			return false
		}
		return true
	}
}

// undoneReact lets everything run; a person takes back what it did, once in vain.
func undoneReact() func(*world, *events.Event) bool {
	return func(w *world, e *events.Event) bool {
		switch p := e.Payload.(type) {
		case events.AskRaised:
			w.say("ada", e.ID, events.AskAnswered{Ask: p.Ask, Decision: events.Yes})
			return true
		case events.TicketCompleted:
			w.say("ada", "", events.UndoRequested{Call: "nobody"})
			w.say("ada", "", events.UndoRequested{Ticket: p.Ticket})
		}
		return false
	}
}

// askedReact answers no, then yes twice by two people, then with edited arguments.
func askedReact() func(*world, *events.Event) bool {
	asked := 0
	return func(w *world, e *events.Event) bool {
		p, ok := e.Payload.(events.AskRaised)
		if !ok {
			return false
		}
		switch asked++; asked {
		case 1:
			w.say("ada", e.ID, events.AskAnswered{Ask: p.Ask, Decision: events.No, Reason: "not this file"})
		case 2:
			w.say("ada", e.ID, events.AskAnswered{Ask: p.Ask, Decision: events.Yes})
			w.say("bob", e.ID, events.AskAnswered{Ask: p.Ask, Decision: events.No})
			w.say("bob", e.ID, events.AskAnswered{Ask: "unknown", Decision: events.Yes})
		default:
			w.say("ada", e.ID, events.AskAnswered{Ask: p.Ask, Decision: events.Yes,
				Args: json.RawMessage(`{"path":"a.go","content":1}`)})
			w.say("ada", e.ID, events.AskAnswered{Ask: p.Ask, Decision: events.Yes,
				Args: json.RawMessage(`{ "path": "a.go", "content": "c" }`)})
		}
		return true
	}
}

// changedReact lets a person change every setting that can be changed, some
// changes not counting, and models fail in between.
func changedReact() func(*world, *events.Event) bool {
	requests, on, two, none := 0, true, 2, 0
	changes := []events.Payload{
		events.TierChanged{Tier: 2, Provider: "gemini-cli", Models: []string{"g0", "g1"}},
		events.ProviderChanged{Provider: "gemini_cli", Command: "/opt/gemini"},
		events.SettingsChanged{MaxWorkers: &two, SpawnApproval: &on}, events.TierChanged{Tier: 7, Provider: "nobody"},
		events.TierChanged{Models: []string{"later"}, MaxOutputTokens: &two}, events.SettingsChanged{MaxRetries: &none,
			PlanReview: &on, QADisabled: &on},
		events.ProviderChanged{Provider: "gemini_cli"}, events.TierChanged{Tier: 3, MaxRounds: &none},
	}
	return func(w *world, e *events.Event) bool {
		switch p := e.Payload.(type) {
		case events.ModelRequested:
			if requests++; requests <= len(changes) {
				w.say("ada", e.ID, changes[requests-1])
			}
			if requests%3 == 0 {
				w.say(events.ActorModels, e.ID, events.ModelFailed{Request: e.ID, Kind: events.ModelOverloaded, Message: "busy"})
				return true
			}
		case events.AskRaised:
			w.say("ada", e.ID, events.AskAnswered{Ask: p.Ask, Decision: events.Yes})
			return true
		}
		return false
	}
}

// curatedReact is a person who works on discussions, presets, the project's
// files and the window meanwhile, which decides nothing but what prompts show.
func curatedReact() func(*world, *events.Event) bool {
	role, text, on := "User", "mind the edges", true
	files := []events.TrackedFile{{Path: "a.go", ViewMode: events.ViewSkeleton}}
	slice := events.FileSlice{Name: "head", StartLine: 1, EndLine: 3}
	said := []events.Payload{
		events.DiscussionChanged{Operation: events.DiscussionCreate, Discussion: "second"},
		events.DiscussionChanged{Operation: events.EntryAdd, Role: &role, Content: &text},
		events.DiscussionChanged{Operation: events.EntryEdit, Entry: "gone", Collapsed: &on},
		events.DiscussionChanged{Operation: events.EntryDelete, Entry: "gone"},
		events.DiscussionChanged{Operation: events.DiscussionFork, Discussion: "main"},
		events.DiscussionChanged{Operation: events.DiscussionRename, Discussion: "main_take_1", To: "third"},
		events.DiscussionChanged{Operation: events.DiscussionSwitch, Discussion: "third"},
		events.DiscussionChanged{Operation: events.DiscussionDelete, Discussion: "second"},
		events.DiscussionChanged{Operation: events.DiscussionRoles, Roles: []string{"User", "AI", "System"}},
		events.DiscussionChanged{Operation: events.DiscussionReplace, Entries: []byte(`[{"role":"User","content":"x"}]`)},
		events.SessionPartUploaded{Upload: "up-1", Kind: events.UploadEntries, Count: 1, Text: "[]"},
		events.ContextPresetChanged{Operation: events.PresetSave, Name: "core", Files: files, Screenshots: []string{"a.png"}},
		events.ContextPresetChanged{Operation: events.PresetSlice, Name: "core",
			Files: []events.TrackedFile{{Path: "a.go", CustomSlices: []events.FileSlice{slice}}}},
		events.ContextPresetChanged{Operation: events.PresetLoad, Name: "core"},
		events.FilesTracked{Patterns: []string{"*.go"}, Paths: []string{"a.go"}, Preset: "core", Shown: files},
		events.ContextPresetChanged{Operation: events.PresetDelete, Name: "core"},
		events.ProjectEdited{Changes: []byte(`{"project":{"name":"parser"}}`)},
		events.GUITaskQueued{Task: []byte(`{"action":"click","item":"btn_reset"}`)},
		events.RulesReplaced{Rules: yesToAll}, events.SessionStarred{On: true},
	}
	return func(w *world, e *events.Event) bool {
		if _, planned := e.Payload.(events.TicketsPlanned); planned {
			for _, p := range said {
				w.say("ada", "", p)
			}
		}
		return false
	}
}

// addedReact is a person who wants a worker beside the plan, another plan, and
// things that cannot be.
func addedReact() func(*world, *events.Event) bool {
	return func(w *world, e *events.Event) bool {
		p, ok := e.Payload.(events.TicketsPlanned)
		if !ok {
			return false
		}
		last, before := p.Tickets[2].ID, p.Tickets[1].ID
		w.say("ada", "", events.WorkerSpawnRequested{Prompt: "Mend the lexer\nas well", Context: []string{"lexer.go"},
			RequestID: "r-1"})
		w.say("ada", "", events.WorkerSpawnRequested{Prompt: "Mend the lexer\nas well", Context: []string{"lexer.go"},
			RequestID: "r-1"})
		w.say("ada", "", events.GraphMutationRequested{Ops: []events.GraphOp{
			{Op: events.GraphAddTicket, Ticket: "N-1", New: &events.Ticket{Description: "Document it",
				DependsOn: []string{last}}},
			{Op: events.GraphAddTicket, Ticket: "N-2", Track: p.Track, New: &events.Ticket{Description: "Not needed"}},
			{Op: events.GraphSetPriority, Ticket: last, Priority: "high"},
		}})
		w.say("ada", "", events.GraphMutationRequested{Ops: []events.GraphOp{{Op: events.GraphRemoveTicket, Ticket: "N-2"},
			{Op: events.GraphSetModel, Ticket: "N-1", Model: "m9"}}})
		w.say("ada", "", events.GraphMutationRequested{Ops: []events.GraphOp{{Op: events.GraphSetPriority, Ticket: before,
			Priority: "low"}, {Op: events.GraphAddDependency, Ticket: last, Dependency: "N-1"}}})
		return false
	}
}

// failingReact lets models fail now and then, shells fail, and one attempt give up.
func failingReact() func(*world, *events.Event) bool {
	requests, hints, settled := 0, 0, 0
	return func(w *world, e *events.Event) bool {
		switch p := e.Payload.(type) {
		case events.ModelRequested:
			requests++
			if p.Tier == 4 {
				hints++
			}
			switch {
			case requests == 3:
				w.say(events.ActorModels, e.ID, events.ModelFailed{Request: e.ID, Kind: events.ModelRateLimited, Message: "429",
					RetryAfterMS: 2000})
			case requests == 5:
				w.say(events.ActorModels, e.ID, events.ModelFailed{Request: e.ID, Kind: events.ModelIncomplete, Message: "no end"})
			case requests == 9:
				w.say(events.ActorModels, e.ID, events.ModelFailed{Request: e.ID, Kind: events.ModelAuth, Message: "401"})
			case p.Tier == 3 && p.Round == 2 && p.TicketAttempt == 1:
				w.reply(e, "BLOCKED: there is no parser")
			case p.Tier == 4 && hints%2 == 0:
				w.say(events.ActorModels, e.ID, events.ModelFailed{Request: e.ID, Kind: events.ModelExhausted,
					Message: "script exhausted"})
			default:
				return false
			}
			return true
		case events.ToolApproved:
			if settled++; settled%2 == 1 {
				w.settle(e, p, events.ToolFailed)
				return true
			}
		}
		return false
	}
}

// gatedReact answers every gate, some with no and one with an edited prompt.
func gatedReact() func(*world, *events.Event) bool {
	spawns, steps := 0, 0
	return func(w *world, e *events.Event) bool {
		switch p := e.Payload.(type) {
		case events.TracksProposed:
			w.say("ada", e.ID, events.TracksAccepted{Goal: p.Goal})
			w.say("ada", e.ID, events.TracksAccepted{Goal: "unknown"})
			return true
		case events.AskRaised:
			a := events.AskAnswered{Ask: p.Ask, Decision: events.Yes}
			switch p.Gate {
			case events.GateSpawn:
				if spawns++; spawns == 1 {
					a.Args = json.RawMessage(`{"prompt":"Mend only the lexer"}`)
				} else if spawns == 2 {
					a.Decision = events.No
				}
			case events.GateStep:
				if steps++; steps == 2 {
					a.Decision, a.Reason = events.No, "enough"
				}
			}
			w.say("ada", e.ID, a)
			return true
		}
		return false
	}
}

// editedReact edits the start and the steps of a ticket: other files, another message, other arguments, and no call at
// all in the second round.
func editedReact() func(*world, *events.Event) bool {
	calls := 0
	return func(w *world, e *events.Event) bool {
		p, ok := e.Payload.(events.AskRaised)
		if !ok {
			return false
		}
		a := events.AskAnswered{Ask: p.Ask, Decision: events.Yes}
		var shown struct {
			Messages []events.StepMessage
			Calls    []events.StepCall
		}
		if p.Gate == events.GateStep && json.Unmarshal(p.Args, &shown) != nil {
			panic("a step that shows nothing")
		}
		switch {
		case p.Gate == events.GateSpawn:
			a.Args = json.RawMessage(`{"prompt":"Mend only the lexer","files":["lexer.go:outline","a.go"]}`)
		case len(shown.Messages) > 0:
			a.Args = json.RawMessage(fmt.Sprintf(`{"messages":[{"part":%d,"text":"edited <&> é"}]}`, shown.Messages[0].Part))
		case len(shown.Calls) > 0 && calls == 0:
			calls++
			a.Args = json.RawMessage(`{"calls":[{"call":"` + shown.Calls[0].Call + `","args":{"path":"lexer.go","content":"c"}}]}`)
		case len(shown.Calls) > 0:
			a.Args = json.RawMessage(`{"calls":[]}`)
		}
		w.say("ada", e.ID, a)
		return true
	}
}

// interruptedReact loses workers in the middle of calls and parks one.
func interruptedReact() func(*world, *events.Event) bool {
	asked := 0
	return func(w *world, e *events.Event) bool {
		switch p := e.Payload.(type) {
		case events.ToolApproved:
			switch {
			case asked >= 3 || p.Generation > 1:
				return false
			case asked == 2:
				w.say(w.worker(), e.ID, events.ToolParked{Call: p.Call, Tool: p.Tool, Deliveries: 20, Reason: "delivered 20 times"})
			default:
				w.settle(e, p, events.ToolInterrupted)
				w.say(events.ActorTimers, e.ID, events.WorkerLost{Worker: "worker-h-1"})
			}
			return true
		case events.AskRaised:
			asked++
			a := events.AskAnswered{Ask: p.Ask, Decision: events.Yes}
			if asked == 2 {
				a.Args = json.RawMessage(`{"resolution":"done"}`)
			} else if asked == 3 {
				a.Decision = events.No
			}
			w.say("ada", e.ID, a)
			return true
		}
		return false
	}
}

// expiredReact never answers; the timer does, once too early.
func expiredReact() func(*world, *events.Event) bool {
	return func(w *world, e *events.Event) bool {
		p, ok := e.Payload.(events.AskRaised)
		if ok && p.ExpiresAt != nil {
			w.say(events.ActorTimers, e.ID, events.TimerFired{Ask: p.Ask, Due: p.ExpiresAt.Add(-time.Second)})
			w.say(events.ActorTimers, e.ID, events.TimerFired{Ask: p.Ask, Due: *p.ExpiresAt})
		}
		return ok
	}
}

// controlledReact is a person who cannot leave the session alone.
func controlledReact() func(*world, *events.Event) bool {
	started := 0
	return func(w *world, e *events.Event) bool {
		switch p := e.Payload.(type) {
		case events.TicketsPlanned:
			w.say("ada", "", events.BlockRequested{Ticket: p.Tickets[2].ID, Reason: "waits for legal"})
			w.say("ada", "", events.KillRequested{Ticket: "nobody"})
		case events.TicketBlocked:
			if p.Kind == events.BlockManual {
				w.say("ada", "", events.UnblockRequested{Ticket: p.Ticket, Note: "legal agreed"})
			} else {
				w.say("ada", "", events.RetryRequested{Ticket: p.Ticket})
			}
		case events.TicketStarted:
			switch started++; started {
			case 1:
				w.say("ada", "", events.PauseRequested{})
				w.say("ada", "", events.KillRequested{Ticket: p.Ticket.ID})
			case 2:
				w.say("ada", "", events.NoteRequested{Ticket: p.Ticket.ID, Note: "use v2"})
				w.say("ada", "", events.StepModeSet{On: true})
				w.say("ada", "", events.StepModeSet{On: false})
			}
		case events.Paused:
			w.say("ada", "", events.ResumeRequested{})
		}
		return false
	}
}

// unplannableReact is a tier 1 that never gives an array.
func unplannableReact(w *world, e *events.Event) bool {
	_, ok := e.Payload.(events.ModelRequested)
	if ok {
		w.reply(e, "I would rather not.")
	}
	return ok
}

// postedReact has a program ask something, twice, and a person answer it.
func postedReact() func(*world, *events.Event) bool {
	return func(w *world, e *events.Event) bool {
		switch p := e.Payload.(type) {
		case events.GoalSubmitted:
			for _, request := range []string{"r-1", "r-1", "r-2"} {
				w.say("agent-ci", "", events.AskPosted{RequestID: request, Data: json.RawMessage(`{"tool":"deploy"}`),
					BodySHA256: "ab", TimeoutMS: 60_000})
			}
			w.say(events.ActorGateway, "", events.HookCalled{Method: "POST", Path: "/api/ask", Status: 200})
			w.say(events.ActorGateway, "", events.EventPushed{Kind: "ask_received",
				Payload: json.RawMessage(`{"request_id":"r-1"}`)})
			w.say(events.ActorGateway, "", events.EventsDrained{Through: 3})
		case events.AskRaised:
			if p.Ask == "r-2" {
				return true // still open when the session is closed
			}
			w.say("ada", e.ID, events.AskAnswered{Ask: p.Ask, Decision: events.Yes,
				Response: json.RawMessage(`{"ok":[1,2.50]}`)})
			return true
		}
		return false
	}
}

// noisyReact puts on the record what counts for nothing: bare and broken
// answers, answers of those who may not give one, double outcomes.
func noisyReact() func(*world, *events.Event) bool {
	return func(w *world, e *events.Event) bool {
		switch p := e.Payload.(type) {
		case events.AskRaised:
			bare := func(actor, body string) {
				w.pending = append(w.pending, said{actor: actor, payload: events.AskAnswered{}, raw: []byte(body)})
			}
			bare("bob", `{"ask": "`+p.Ask+`", "decision": "maybe"}`)
			bare("bob", `{"ask":`)
			bare("worker-h-9", `{"ask":"`+p.Ask+`","decision":"yes"}`)
			bare("ada", `{"ask": "`+p.Ask+`", "decision": "yes"}`)
			bare("bob", "\xff\x00")
			return true
		case events.ToolApproved:
			w.settle(e, p, events.ToolDone)
			w.settle(e, p, events.ToolFailed)
			return true
		}
		return false
	}
}

// scenarioNamed is a fresh script of that name; scripts count and serve one session.
func scenarioNamed(name string) script {
	for _, s := range scenarios() {
		if s.name == name {
			return s.script
		}
	}
	panic("no scenario " + name)
}
