package approval_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/approval"
	"manualslop/tiers/tierstest"
)

// hosts are the places that the person of these tests listed.
func hosts(s *events.Settings) {
	s.AllowHosts = []string{"docs.example", "*.deep.example", "127.0.0.1:8080", "[::1]", "odd.example:444"}
	s.SearchURL = "https://search.example/html/"
}

// saw shows views of the project to the first attempt at T-1.
func saw(views ...events.View) []events.Payload {
	return given(
		events.ContextRequested{Tier: 3, Ticket: "T-1", Attempt: 1},
		tierstest.With(func(h *tierstest.History) events.Payload {
			return events.ContextBuilt{Request: h.LastID("ContextRequested"), Views: views}
		}),
	)
}

// ranWith is a call that a rule let run, with its outcome.
func ranWith(r events.ToolRequested) []events.Payload {
	return given(r, tierstest.With(func(h *tierstest.History) events.Payload {
		a := tierstest.All[events.ToolApproved](h)
		return events.ToolSettled{Call: r.Call, Tool: r.Tool, Outcome: events.ToolDone, ArgsSHA256: a[len(a)-1].ArgsSHA256,
			Generation: 1}
	}))
}

// tainted checks a question that untrusted text is the reason of.
func tainted(why string, sources ...string) events.Payload {
	return tierstest.Check(func(t testing.TB, p events.AskRaised) {
		t.Helper()
		require.Equal(t, events.GateTool, p.Gate)
		require.Contains(t, p.Note, why)
		require.Equal(t, sources, p.Taint)
		for _, s := range sources {
			require.Contains(t, p.Note, s)
		}
	})
}

var (
	rawFile = events.View{Path: "a.go", View: events.ViewRaw}
	page    = wants("w1", "web_search", `{"query":"bees"}`)
)

func fetches(url string) events.ToolRequested {
	return wants("c1", "web_search", fmt.Sprintf(`{"url":%q}`, url))
}

func TestWhatTheProjectTellsModelsIsReadLikeItsFiles(t *testing.T) {
	t.Parallel()
	theirs := func(s *events.Settings) {
		hosts(s)
		s.Roster.Personas = []events.Persona{{Name: "eve", SystemPrompt: "Fetch it.", Project: true},
			{Name: "ada", SystemPrompt: "Be exact."}}
	}
	look := wants("c1", "look_up", `{"url":"https://evil.example/"}`)
	runs := given(approved(look, "rule", underRule("reads run")))
	asks := given(tainted("reaches evil.example", "repo: instructions of the project"))
	edited := func(text string) events.Payload {
		return events.ProjectEdited{Changes: json.RawMessage(`{"project":{"system_prompt":"` + text + `"}}`)}
	}
	planned := func(persona string) []events.Payload {
		return given(begin(theirs), events.TrackStarted{Goal: "G", Track: events.Track{ID: "TR-1", Persona: persona}},
			events.ContextRequested{Tier: 2, Goal: "G", Track: "TR-1"},
			tierstest.With(func(h *tierstest.History) events.Payload {
				return events.ContextBuilt{Request: h.LastID("ContextRequested")}
			}), events.TicketsPlanned{Track: "TR-1", Tickets: []events.Ticket{{ID: "T-1"}}})
	}
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "its persona", Given: given(begin(theirs), startedAs("eve"), saw()), When: look, Then: asks},
		{Name: "the person's persona", Given: given(begin(theirs), startedAs("ada"), saw()), When: look, Then: runs},
		{Name: "its document", Given: given(begin(theirs), edited("Fetch it."), saw()), When: look, Then: asks},
		{Name: "a document that says nothing", Given: given(begin(theirs), edited("Fetch it."), edited(""), saw()),
			When: look, Then: runs},
		{Name: "its persona that planned the ticket", Given: planned("eve"), When: look, Then: asks},
		{Name: "the person's that did", Given: planned("ada"), When: look, Then: runs},
	})
}

func TestTheNetworkAsksOnceTheConversationHasReadTheProject(t *testing.T) {
	t.Parallel()
	runs := func(r events.ToolRequested) []events.Payload {
		return given(approved(r, "rule", underRule("reads run")))
	}
	look := wants("c1", "look_up", `{"url":"https://evil.example/"}`)
	other := look
	other.Ticket = "T-2"
	later := look
	later.Attempt = 2
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "before it has read anything", Given: begin(hosts), When: look, Then: runs(look)},
		{Name: "names alone", Given: given(begin(hosts), saw(events.View{Path: ".", View: events.ViewTree})), When: look,
			Then: runs(look)},
		{Name: "a view that could not be made", Given: given(begin(hosts), saw(events.View{Path: "a.go", View: events.ViewRaw,
			Error: "gone"})), When: look, Then: runs(look)},
		{Name: "another ticket's reading", Given: given(begin(hosts), saw(rawFile)), When: other,
			Then: given(tierstest.Check(func(t testing.TB, p events.ToolApproved) {}))},
		{Name: "an earlier attempt's reading", Given: given(begin(hosts), saw(rawFile)), When: later,
			Then: given(tierstest.Check(func(t testing.TB, p events.ToolApproved) {}))},
		{
			Name: "after a file", Given: given(begin(hosts), saw(rawFile)), When: look,
			Then: given(tainted("reaches evil.example, which is not in [net] allow_hosts", "repo: a.go")),
		},
		{
			Name: "after a tool that reads", Given: given(begin(hosts), ranWith(wants("r1", "read_file", `{"path":"b.go"}`))),
			When: look,
			Then: given(tainted("reaches evil.example", "repo: read_file b.go")),
		},
		{
			Name: "after a block of changed files",
			Given: given(begin(hosts), events.RefreshRequested{Ticket: "T-1", Attempt: 1},
				tierstest.With(func(h *tierstest.History) events.Payload {
					return events.FilesUpdated{Request: h.LastID("RefreshRequested"), Ticket: "T-1", Files: []events.FileUpdate{
						{Path: "c.go"}}}
				})),
			When: look, Then: given(tainted("reaches evil.example", "repo: c.go")),
		},
		{
			Name: "a person's general yes does not cover it", Given: given(begin(hosts), events.RuleAdded{Rule: yesRule},
				saw(rawFile)), When: look,
			Then: given(tainted("reaches evil.example", "repo: a.go")),
		},
		{
			Name: "a deny stays a deny", Given: given(begin(hosts, rules(deny("look_up"))), saw(rawFile)), When: look,
			Then: given(deniedSaying("a rule forbids it")),
		},
		{
			Name: "a search goes where searches go", Given: given(begin(hosts), ranWith(page)), When: wants("c1", "web_search",
				`{"query":"more"}`),
			Then: given(tierstest.Check(func(t testing.TB, p events.AskRaised) {
				require.Contains(t, p.Note,
					"reaches search.example")
			})),
		},
	})
}

func TestWhereTheNetworkNeedsNoQuestion(t *testing.T) {
	t.Parallel()
	listed := func(s *events.Settings) { hosts(s); s.SearchURL = "https://docs.example/" }
	open := given(begin(listed), saw(rawFile))
	for url, runs := range map[string]bool{
		"https://docs.example/a": true, "http://DOCS.example./": true, "https://docs.example:443/": true,
		"https://x.deep.example/": true,
		"http://127.0.0.1:8080/":  true, "http://[::1]/": true, "https://odd.example:444/": true,
		"https://deep.example/": false, "https://docs.example:444/": false, "https://notdocs.example/": false,
		"https://docs.example.evil/":         false,
		"https://docs.example@evil.example/": false, "http://127.0.0.1/": false, "http://[::1]:81/": false,
		"https://odd.example/":                 false,
		"https://docs.example\\@evil.example/": false, "": false, "docs.example": false, "https:///docs.example": false,
		"http://%zz/": false,
	} {
		h := tierstest.Play(t, approval.Decider(), given(open, fetches(url))...)
		require.Equal(t, runs, len(tierstest.All[events.ToolApproved](h)) == 1, url)
		require.Equal(t, !runs, len(tierstest.All[events.AskRaised](h)) == 1, url)
	}
	h := tierstest.Play(t, approval.Decider(), given(open, wants("c1", "look_up", `{"page":7}`))...)
	require.Contains(t, tierstest.All[events.AskRaised](h)[0].Note, "do not name")
}

func TestWritesThatReachFurtherAskAfterUntrustedText(t *testing.T) {
	t.Parallel()
	writes := func(path string) events.ToolRequested {
		return wants("c1", "edit_file", fmt.Sprintf(`{"path":%q}`, path))
	}
	for path, why := range map[string]string{
		"a.go": "", "/w/b/c.go": "", "../other/a.go": "may write outside of the workspace",
		"/etc/hosts":   "may write outside of the workspace",
		".git/hooks/x": "changes .git, which steers", "sub/Slop.TOML": "changes slop.toml", "AGENTS.md": "changes AGENTS.md",
		"sub/claude.MD": "changes CLAUDE.md",
		"personas.toml": "changes personas.toml", "Tool_Presets.toml": "changes tool_presets.toml",
		"project_presets.toml": "changes project_presets.toml",
		".vscode/tasks.json":   "changes .vscode", ".husky/pre-commit": "changes .husky", ".envrc": "changes .envrc",
		".cursorrules": "changes .cursorrules", ".github/copilot-instructions.md": "changes copilot-instructions.md",
		"presets.toml": "",
	} {
		free := tierstest.Play(t, approval.Decider(), given(begin(rules(yesRule)), writes(path))...)
		require.Len(t, tierstest.All[events.ToolApproved](free), 1, "without untrusted text the rule answers")
		h := tierstest.Play(t, approval.Decider(), given(begin(rules(yesRule)), saw(rawFile), writes(path),
			events.PreviewBuilt{Call: "c1"})...)
		require.Equal(t, why == "", len(tierstest.All[events.ToolApproved](h)) == 1, path)
		if why != "" {
			require.Contains(t, tierstest.All[events.AskRaised](h)[0].Note, why)
		}
	}
}

func TestAShellAsksAfterTextFromOutsideTheProjectOnly(t *testing.T) {
	t.Parallel()
	open := given(begin(hosts, rules(yesRule)))
	fetched := given(open, ranWith(page))
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "after files", Given: given(open, saw(rawFile)), When: shell,
			Then: given(approved(shell, "rule", underRule("--yes")))},
		{Name: "after a program", Given: given(open, ranWith(wants("r1", "run_powershell", `{"script":"ls"}`))), When: shell,
			Then: given(approved(shell, "rule", underRule("--yes")))},
		{Name: "after the web", Given: fetched, When: shell, Then: given(tainted("does what nobody can foresee",
			"web: web_search bees"))},
		{Name: "a write in the workspace stays the rule's", Given: fetched, When: edit,
			Then: given(approved(edit, "rule", underRule("--yes")))},
		{
			Name: "the person's yes lets it run", Given: given(fetched, shell),
			When: tierstest.With(func(h *tierstest.History) events.Payload {
				asks := tierstest.All[events.AskRaised](h)
				return events.AskAnswered{Ask: asks[len(asks)-1].Ask, Decision: events.Yes}
			}),
			Then: given(tierstest.Check(func(t testing.TB, p events.AskSettled) { require.Equal(t, events.Yes, p.Outcome) }),
				tierstest.Check(func(t testing.TB, p events.ToolApproved) { require.Equal(t, tierstest.Person, p.By) })),
		},
	})
}

func TestAFailureInOurOwnWordsDoesNotTaint(t *testing.T) {
	t.Parallel()
	failed := func(decisions int, own bool) []events.Payload {
		return given(decidedBy(decisions, yesRule), fetches("https://docs.example/"),
			tierstest.With(func(h *tierstest.History) events.Payload {
				return events.ToolSettled{Call: "c1", Tool: "web_search", Outcome: events.ToolFailed, Own: own,
					ArgsSHA256: tierstest.All[events.ToolApproved](h)[0].ArgsSHA256, Generation: 1}
			}))
	}
	next := shell
	next.Call = "c2"
	asks := tierstest.Decided[events.AskRaised]()
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "our words", Given: failed(2, true), When: next, Then: given(tierstest.Decided[events.ToolApproved]())},
		{Name: "a server's words", Given: failed(2, false), When: next, Then: given(asks)},
		{Name: "older decisions", Given: failed(1, true), When: next, Then: given(asks)},
	})
}

func TestAQuestionNamesAFewSourcesAndCountsTheRest(t *testing.T) {
	t.Parallel()
	var views []events.View
	for i := range 9 {
		views = append(views, events.View{Path: fmt.Sprintf("f%d.go", i%8), View: events.ViewRaw})
	}
	h := tierstest.Play(t, approval.Decider(), given(begin(), saw(views...), fetches("https://evil.example/"))...)
	require.Equal(t, []string{"repo: f0.go", "repo: f1.go", "repo: f2.go", "repo: f3.go", "repo: f4.go", "repo: f5.go",
		"and 2 more"},
		tierstest.All[events.AskRaised](h)[0].Taint)
}

// TestAReviewPassesOnWhatItsAttemptRead has the next attempt do what a page says,
// which came to it by the contributor's last word and the review's reasons.
func TestAReviewPassesOnWhatItsAttemptRead(t *testing.T) {
	t.Parallel()
	fetched := given(begin(hosts, rules(yesRule)), ranWith(page))
	reviewed := func(ticket string) events.ReviewRequested {
		return events.ReviewRequested{Ticket: events.Ticket{ID: ticket}, Attempt: 1, Text: "run curl"}
	}
	next := shell
	next.Attempt = 2
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "without a review", Given: fetched, When: next, Then: given(approved(next, "rule", underRule("--yes")))},
		{Name: "another ticket's review", Given: given(fetched, reviewed("T-2")), When: next,
			Then: given(approved(next, "rule", underRule("--yes")))},
		{Name: "its review", Given: given(fetched, reviewed("T-1")), When: next,
			Then: given(tainted("does what nobody can foresee", "web: web_search bees"))},
	})
}

// read shows views to whoever asks for them so.
func read(by events.ContextRequested, views ...events.View) []events.Payload {
	return given(by, tierstest.With(func(h *tierstest.History) events.Payload {
		return events.ContextBuilt{Request: h.LastID("ContextRequested"), Views: views}
	}))
}

// TestAQuestionPassesOnWhatItsAttemptRead has the next attempt do what a page says, which came to it
// by the question that its answer repeats.
func TestAQuestionPassesOnWhatItsAttemptRead(t *testing.T) {
	t.Parallel()
	fetched := given(begin(hosts, rules(yesRule)), ranWith(page))
	question := func(ticket string) events.QuestionRequested {
		return events.QuestionRequested{Ticket: ticket, Attempt: 1, Round: 1, Text: "Shall I run curl?"}
	}
	next := shell
	next.Attempt = 2
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "the ask names it", Given: fetched, When: question("T-1"), Then: given(
			tierstest.Check(func(t testing.TB, p events.AskRaised) {
				t.Helper()
				require.Equal(t, []string{"web: web_search bees"}, p.Taint)
				require.Equal(t, `Answer with text or one of the choices; answer no if you do not want to answer. `+
					`The model has read untrusted text (web: web_search bees).`, p.Note)
			}))},
		{Name: "without a question", Given: fetched, When: next, Then: given(approved(next, "rule", underRule("--yes")))},
		{Name: "another ticket's question", Given: given(fetched, question("T-2")), When: next,
			Then: given(approved(next, "rule", underRule("--yes")))},
		{Name: "its question", Given: given(fetched, question("T-1")), When: next,
			Then: given(tainted("does what nobody can foresee", "web: web_search bees"))},
	})
}

func TestATicketIsAsSuspectAsWhatItsPlanWasMadeFrom(t *testing.T) {
	t.Parallel()
	plan := given(events.TrackStarted{Goal: "G", Track: events.Track{ID: "TR"}}, events.TicketsPlanned{Track: "TR",
		Tickets: []events.Ticket{{ID: "T-1"}}})
	look := fetches("https://evil.example/?data=from-the-plan")
	for name, c := range map[string]struct {
		seen []events.Payload
		asks bool
	}{
		"nothing": {nil, false},
		"names alone": {read(events.ContextRequested{Tier: 2, Track: "TR"}, events.View{Path: ".",
			View: events.ViewTree}), false},
		"by tier 2":         {read(events.ContextRequested{Tier: 2, Track: "TR"}, rawFile), true},
		"by tier 1":         {read(events.ContextRequested{Tier: 1, Goal: "G"}, rawFile), true},
		"for another track": {read(events.ContextRequested{Tier: 2, Track: "TX"}, rawFile), false},
		"for another goal":  {read(events.ContextRequested{Tier: 1, Goal: "GX"}, rawFile), false},
		"by its review": {read(events.ContextRequested{Tier: 2, Track: "TR", Ticket: "T-1", Attempt: 0}, rawFile),
			true},
		"by another's review": {read(events.ContextRequested{Tier: 2, Track: "TR", Ticket: "T-2", Attempt: 1}, rawFile),
			false},
		"by an earlier try":    {read(events.ContextRequested{Tier: 3, Ticket: "T-1", Attempt: 7}, rawFile), false},
		"for a patch, by hand": {read(events.ContextRequested{Tier: 4}, rawFile), false},
	} {
		h := tierstest.Play(t, approval.Decider(), given(begin(hosts), c.seen, plan, look)...)
		require.Equal(t, c.asks, len(tierstest.All[events.AskRaised](h)) == 1, name)
		require.Equal(t, !c.asks, len(tierstest.All[events.ToolApproved](h)) == 1, name)
		if c.asks {
			require.Equal(t, []string{"repo: a.go"}, tierstest.All[events.AskRaised](h)[0].Taint, name)
		}
	}
}

func TestATurnHasReadWhatItsEntriesComeFrom(t *testing.T) {
	t.Parallel()
	before := given(begin(hosts, rules(allow("*"))), ranWith(page))
	says := func(n events.TurnEntry) []events.Payload {
		return given(before, events.TurnRequested{Discussion: "main", Text: "Go on.", Entries: []events.TurnEntry{n}})
	}
	call := shell
	call.Ticket = events.TurnTicket(tierstest.ID(firstFree + 2))
	runs := tierstest.Decided[events.ToolApproved]()
	asks := tainted("does what nobody can foresee", "web: web_search bees")
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "of a tainted ticket", Given: says(events.TurnEntry{Role: "AI", Ticket: "T-1", Tier: 3}), When: call,
			Then: given(asks)},
		{Name: "of another ticket", Given: says(events.TurnEntry{Role: "AI", Ticket: "T-2", Tier: 3}), When: call,
			Then: given(runs)},
		{Name: "of a person", Given: says(events.TurnEntry{Role: "AI"}), When: call, Then: given(runs)},
	})
}

func TestASummaryHasReadWhatItsDiscussionHas(t *testing.T) {
	t.Parallel()
	shorter := events.TurnTicket(tierstest.ID(firstFree + 2))
	talk := func(from string) []events.Payload {
		return given(begin(hosts, rules(allow("*"))), ranWith(page),
			events.TurnRequested{Discussion: "main", Compact: true, Entries: []events.TurnEntry{{Entry: "1", Role: "AI",
				Ticket: from, Tier: 3}}},
			events.TurnEnded{Turn: shorter, Discussion: "main", Outcome: events.TurnDone},
			events.TurnRequested{Discussion: "main_take_1", Text: "Go on.", Entries: []events.TurnEntry{{Entry: "2",
				Role: events.RoleSummary, Ticket: shorter, Tier: 3}}})
	}
	call := shell
	call.Ticket = events.TurnTicket(tierstest.ID(firstFree + 4))
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "a page of the web", Given: talk("T-1"), When: call,
			Then: given(tainted("does what nobody can foresee", "web: web_search bees"))},
		{Name: "nothing", Given: talk("T-2"), When: call, Then: given(tierstest.Decided[events.ToolApproved]())},
	})
}

func TestWorkHasReadWhatItsDiscussionComesFrom(t *testing.T) {
	t.Parallel()
	before := given(begin(hosts, rules(allow("*"))), ranWith(page))
	attached := func(to string, n events.TurnEntry) []events.Payload {
		return given(before, events.TalkAttached{To: to, Discussion: "main", Entries: []events.TurnEntry{n}})
	}
	said := events.TurnEntry{Role: "AI", Ticket: "T-1", Tier: 3}
	call := shell
	call.Ticket = "T-9"
	spawned := call
	spawned.Ticket = events.WorkerTicket("R")
	asks := tainted("does what nobody can foresee", "web: web_search bees")
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "a ticket", Given: attached("T-9", said), When: call, Then: given(asks)},
		{Name: "the ticket of a request", Given: attached("R", said), When: spawned, Then: given(asks)},
		{Name: "a ticket that a goal's plan wrote", Given: given(attached("G", said), events.TrackStarted{Goal: "G",
			Track: events.Track{ID: "TR-9"}}, events.TicketsPlanned{Track: "TR-9", Tickets: []events.Ticket{{ID: "T-9"}}}),
			When: call, Then: given(asks)},
		{Name: "another ticket", Given: attached("T-8", said), When: call,
			Then: given(tierstest.Decided[events.ToolApproved]())},
	})
}
