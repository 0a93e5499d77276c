package hookgw_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/input"
	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/views"
	"manualslop/hookgw/wire"
	"manualslop/projections"
	"manualslop/projections/diffs"
	"manualslop/projections/search"
)

// listed is a session with a reply that called a tool, whose result has more text than its event, and a wait.
func (f *fixture) listed(blobs events.Blobs) {
	f.t.Helper()
	f.graph()
	f.begin("T-001")
	asked := f.asksModel("T-001", 1)
	call := events.CallID(asked.ID, 0)
	price := int64(2500)
	f.put(events.ActorModels, events.ModelReplied{Request: asked.ID, Text: "I list the files.", Finish: "tool_calls",
		DurationMS: 900, Usage: events.Usage{Input: 100, CacheRead: 300, Output: 20, PricedMicroDollars: &price},
		Raw:   json.RawMessage(`{"origin":"anthropic/x","data":[{"type":"thinking","thinking":"What is there?"}]}`),
		Calls: []events.ToolCall{{ID: call, Name: "run_powershell", Args: json.RawMessage(`{"script":"ls -l"}`)}}})
	f.put(events.ActorContributor, events.ToolRequested{Call: call, Tool: "run_powershell",
		Args: json.RawMessage(`{"script":"ls -l"}`), Ticket: "T-001", Attempt: 1, Round: 1})
	f.put(events.ActorApproval, events.ToolApproved{Call: call, Tool: "run_powershell", Args: json.RawMessage(`{}`),
		ArgsSHA256: "d", Effect: "executes", Ticket: "T-001", Attempt: 1, Generation: 1, By: "rule", Rule: "allow ls"})
	whole, err := blobs.Put(f.t.Context(), []byte("\x1b[31mred.go\x1b[0m\nlast.go\n"), events.ContentBytesMedia)
	require.NoError(f.t, err)
	f.put("worker-h-1", events.ToolSettled{Call: call, Tool: "run_powershell", Outcome: events.ToolDone,
		Text: "\x1b[31mred.go\x1b[0m\n", TextBlob: &whole, SHA256: whole.SHA256,
		ArgsSHA256: "d", Generation: 1, DurationMS: 40})
	f.put(events.ActorApproval, events.AskRaised{Ask: "a1", Gate: events.GateTool, Title: "edit_file a.go",
		Ticket: "T-001"})
}

func withBlobs(blobs events.Blobs) func(*core.Config) {
	return func(c *core.Config) { c.Blobs = blobs }
}

func showsATimeline(t *testing.T, b *rod.Browser) {
	blobs := eventstest.NewMemory()
	f := open(t, withBlobs(blobs))
	f.listed(blobs)
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	p.at("timeline")
	model := viewOf[views.Spans](f, "/api/spans").Spans
	require.Len(t, model, 5)
	cells := p.names("cell", 7*len(model))
	for i, s := range model {
		require.Equal(t, s.Kind+" "+s.Name, cells[7*i+1])
		require.Contains(t, cells[7*i+2], s.Ticket)
		require.Contains(t, cells[7*i+3], strings.ReplaceAll(s.State, "_", " "))
	}
	require.Equal(t, "900 ms", cells[7*2+5], "a request took what the provider took")
	require.Equal(t, "420", cells[7*2+6])
	opened := p.WaitOpen()
	p.click("a", "The rows as JSON")
	raw, err := opened()
	require.NoError(t, err)
	tab{t, raw.Timeout(eventstest.Patience)}.has(model[0].ID, model[4].ID)
	require.NoError(t, raw.Close())
	wide := func(row int) float64 {
		got, err := p.Eval(`row => document.querySelectorAll(".lane")[row].firstElementChild.lastElementChild.getBoundingClientRect().width`, row)
		require.NoError(t, err)
		return got.Value.Num()
	}
	require.Greater(t, wide(2), wide(3), "900 ms are drawn longer than 40 ms")

	p.press(input.KeyJ, input.KeyJ, input.KeyJ, input.KeyJ)
	p.await(`id => location.hash.endsWith("/timeline/" + id)`, model[3].ID)
	p.has("allow ls", "red.go", "ToolSettled")
	p.await(`() => document.querySelector(".ansi-red").innerText === "red.go"`)
	p.click("button", "All of text")
	p.has("last.go")
	p.click("button", "Began at")
	p.has("ToolRequested", "ls -l")
	p.run(`() => { location.hash = "#/s/` + session + `/timeline?off=goal,attempt,model,tool" }`)
	p.await(`() => document.querySelectorAll("tbody tr").length === 1`)
	require.NoError(t, p.Reload())
	p.has("ask tool: edit_file a.go", "open")
}

func showsAConversation(t *testing.T, b *rod.Browser) {
	blobs := eventstest.NewMemory()
	f := open(t, withBlobs(blobs))
	f.listed(blobs)
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	p.at("conversation/T-001")
	model := viewOf[views.Conversation](f, "/api/conversation?worker=T-001")
	require.Len(t, model.Rounds, 1)
	round := model.Rounds[0]
	p.has("Request 1", round.Text, round.Said[1].Text, round.Calls[0].Name, "75 % from the cache")
	for _, folded := range []string{round.Thoughts[0], round.Said[0].Text, "red.go"} {
		require.NotContains(t, p.text(), folded)
	}
	p.run(`() => document.querySelectorAll("details").forEach(d => { d.open = true })`)
	p.has(round.Thoughts[0], round.Said[0].Text, "red.go", "ls -l", "allow ls", "This is the beginning of 24 bytes")
	asked := f.asksModel("T-001", 2)
	p.has("Request 2", "◐ open")
	f.put(events.ActorModels, events.ModelFailed{Request: asked.ID, Kind: events.ModelOverloaded, Message: "try later"})
	p.has("overloaded", "try later")
	p.fill("Note to the worker", "look into b.go")
	p.click("button", "Send note")
	noted := f.expect("NoteRequested", anyEvent)
	require.Equal(t, events.NoteRequested{Ticket: "T-001", Note: "look into b.go"}, noted.Payload)
}

func showsChanges(t *testing.T, b *rod.Browser) {
	blobs := eventstest.NewMemory()
	f := open(t, withBlobs(blobs))
	put := func(text string) string {
		ref, err := blobs.Put(t.Context(), []byte(text), events.ContentBytesMedia)
		require.NoError(t, err)
		return ref.SHA256
	}
	f.write("c1", "T-001", "shop/money.py", put("old\n"), put("new\n"))
	f.write("c2", "T-002", "shop/cart.py", "", put("cart\n"))
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	p.at("changes")
	model := viewOf[projections.Changes](f, "/api/changes").Files
	require.Len(t, model, 2)
	p.await(`() => document.querySelectorAll("nav[aria-label=Files] li").length === 2`)
	for _, file := range model {
		p.has(file.Path, file.Writes[0].Ticket)
	}
	p.press(input.KeyJ, input.KeyJ)
	p.await(`() => location.hash.endsWith("/changes/shop%2Fmoney.py")`)
	diff := viewOf[diffs.File](f, "/api/changes/diff?path=shop/money.py")
	p.has(strings.Split(strings.TrimSpace(diff.Diff), "\n")...)
	p.has("+1 −1", person)
	p.click("button", "Accept")
	p.has("Accepted until it changes again.", "accepted")
	require.Equal(t, []events.ChangeAccepted{{Path: "shop/money.py", SHA256: put("new\n")}},
		recorded[events.ChangeAccepted](f))
	p.click("button", "Undo …")
	require.Empty(t, recorded[events.UndoRequested](f), "one click changes nothing")
	p.has("shop/money.py gets back the content that it had before the session.")
	p.settle()
	p.press(input.KeyY)
	undo := f.expect("UndoRequested", anyEvent)
	require.Equal(t, events.UndoRequested{Path: "shop/money.py"}, undo.Payload)
	f.put(events.ActorApproval, events.UndoRefused{Request: undo.ID, Reason: "somebody changed it since"})
	p.has("somebody changed it since. Nothing was changed.")
	p.run(`() => { location.hash = "#/s/` + session + `/changes?ticket=T-002" }`)
	p.await(`() => document.querySelectorAll("nav[aria-label=Files] li").length === 1`)
}

func showsCost(t *testing.T, b *rod.Browser) {
	blobs := eventstest.NewMemory()
	f := open(t, withBlobs(blobs))
	f.listed(blobs)
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	p.at("cost")
	model := viewOf[wire.Financial](f, "/api/metrics/financial")
	p.has("By tier", "By model", "By ticket", "Seconds")
	cells := p.names("cell", 4*8)
	require.Equal(t, "Mend T-001", model.Tickets[0].Title)
	model.Tiers[0].ID, model.Tiers[0].Title = "Tier 3: workers", ""
	model.Tracks[0].Title = "no track, such as splitting the goal" // the request names none
	for _, rows := range [][]wire.SpendOf{model.Tiers, model.Models, model.Tracks, model.Tickets} {
		for _, row := range rows {
			require.Contains(t, cells, strings.TrimSpace(row.ID+" "+row.Title))
			require.Contains(t, cells, fmt.Sprint(row.InputTokens+row.CacheReadTokens+row.CacheWriteTokens))
		}
	}
	require.Contains(t, cells, "75 %")
	for _, l := range viewOf[views.Latencies](f, "/api/latencies").Latencies {
		require.Contains(t, cells, l.Kind+" "+l.Name)
		require.Contains(t, cells, fmt.Sprint(l.P50, " ms"))
	}
}

func findsWords(t *testing.T, b *rod.Browser) {
	f := searching(t)
	goal := f.put(person, events.GoalSubmitted{Goal: "paint the zebra"})
	require.Eventually(t, func() bool {
		a := f.get("/api/search?q=zebra", access.RightRead)
		var found search.Answer
		return json.Unmarshal(a.body, &found) == nil && len(found.Hits) == 1
	}, eventstest.Patience, time.Millisecond)
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	p.press(input.KeyG, input.Slash)
	p.await(`() => location.hash === "#/search"`)
	p.fill("Words", "zebra")
	p.click("button", "Search")
	p.has("1 events", "paint the zebra")
	p.click("a", "GoalSubmitted")
	p.await(`to => location.hash === to`, fmt.Sprint("#/s/", session, "/event/", goal.Seq))
	p.has("GoalSubmitted", "paint the zebra")
	p.click("a", "What happened around it")
	p.await(`to => location.hash === to`, fmt.Sprint("#/s/", session, "/replay?at=", goal.Seq))
}

func replaysASession(t *testing.T, b *rod.Browser) {
	f := open(t)
	f.graph()
	f.begin("T-001")
	begun := f.put(events.ActorApproval, events.AskRaised{Ask: "a1", Gate: events.GateTool, Title: "edit a.go",
		Ticket: "T-001"})
	f.put(events.ActorConductor, events.TicketBlocked{Ticket: "T-001", Kind: events.BlockWorker, Reason: "gave up"})
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	p.at("replay")
	p.has("gave up")
	p.press(input.BracketLeft)
	p.await(`to => location.hash === to`, fmt.Sprint("#/s/", session, "/replay?at=", begun.Seq))
	p.press(input.BracketLeft, input.BracketLeft)
	p.click("button", "Next question")
	p.await(`to => location.hash === to`, fmt.Sprint("#/s/", session, "/replay?at=", begun.Seq))
	p.has(fmt.Sprint("as it was at ", begun.Seq))
	reads := func(path string) int {
		got, err := p.Eval(`path => performance.getEntriesByType("resource").filter(r => r.name.includes(path)).length`, path)
		require.NoError(t, err)
		return got.Value.Int()
	}
	once, often := reads(fmt.Sprint("/api/log/", begun.Seq, "?")), reads("/api/timeline")
	require.Positive(t, once)
	f.put(person, events.NoteRequested{Ticket: "T-001", Note: "x"})
	p.await(`often => performance.getEntriesByType("resource").filter(r => r.name.includes("/api/timeline")).length > often`,
		often)
	require.Equal(t, once, reads(fmt.Sprint("/api/log/", begun.Seq, "?")), "an event on the log is read once")
	p.click("a", "tickets")
	p.await(`() => document.querySelectorAll("tbody tr").length === 3`)
	cells := p.names("cell", 21)
	for i, ticket := range viewOf[views.Tickets](f, fmt.Sprint("/api/tickets?at=", begun.Seq)).Tickets {
		require.Equal(t, ticket.WaitsFor, cells[7*i+3])
	}
	require.Contains(t, cells, "you: edit a.go")
	require.NotContains(t, p.text(), "Pause", "the past cannot be changed")
	f.put(events.ActorApproval, events.AskSettled{Ask: "a1", Gate: events.GateTool, Outcome: events.No, By: person,
		AnswerID: "x"})
	f.says("/api/discussions/entries/add", `{"content":"said later"}`, 200)
	p.at(fmt.Sprint("asks?at=", begun.Seq))
	p.has("edit a.go", "⚑ open")
	p.at(fmt.Sprint("discussion?at=", begun.Seq))
	p.has("main", "1 entries")
	require.NotContains(t, p.text(), "said later")
	p.await(`() => [...document.querySelectorAll("main button")].every(b => b.matches(":disabled"))`)
	p.at(fmt.Sprint("live?at=", begun.Seq))
	p.has("for you: edit a.go")
	p.at(fmt.Sprint("tickets?at=", begun.Seq))
	p.await(`() => document.querySelectorAll("tbody tr").length === 3`)
	p.click("a", "Back to now")
	p.has("T-001 (blocked)", "Pause")
}

func showsSettings(t *testing.T, b *rod.Browser) {
	f := openEmpty(t)
	f.put("operator", events.SessionOpened{Label: "demo", Folder: "20260102_030405_demo", Settings: events.Settings{
		Tiers:  []events.TierSettings{{Tier: 3, Provider: "script", Models: []string{"m1", "m2"}, Effort: "high"}},
		Rules:  []events.Rule{{Tool: "read_*", Action: "allow", Args: []string{"shop/**"}, Source: "rules.toml:3"}},
		Budget: &events.BudgetSettings{SessionMicroDollars: 5_000_000}, Roster: aRoster()}})
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	p.at("settings")
	model := viewOf[projections.Settings](f, "/api/settings")
	cells := p.names("cell", 6)
	for _, text := range []string{model.Tiers[0].Provider, "m1, m2", "high", model.Rules[0].Tool, "shop/**",
		"rules.toml:3"} {
		require.Contains(t, cells, text)
	}
	p.has("session $5.00", model.Roster.Personas[0].Name)
	f.put("operator", events.RuleAdded{Rule: events.Rule{Tool: "edit_file", Action: "deny"}})
	p.await(`() => document.querySelectorAll("table[aria-label=Rules] tbody tr").length === 2`)
	f.put("operator", events.RulesReplaced{Rules: []events.Rule{
		{Tool: "read_*", Action: "allow", Source: "config.toml:3"}, {Tool: "*", Action: "allow", Scope: "session",
			Source: "--yes"},
		{Tool: "run_powershell", Action: "allow", Args: []string{"go vet *", "git status"}, Scope: "session",
			Source: "yes to a1"},
		{Tool: "edit_file", Action: "allow", Args: []string{"shop/**"}, Scope: "ticket T-001", Source: "yes to a2"}}})
	p.await(`rows => JSON.stringify([...document.querySelectorAll("table[aria-label=Rules] tbody tr")].map(r =>
		[2, 3, 4].map(n => r.cells[n].innerText.trim()))) === JSON.stringify(rows)`, [][]string{
		{"all", "in all sessions, until you remove it from the configuration and restart the engine", "config.toml:3"},
		{"all", "until the engine stops", "--yes"}, {"go vet *; git status", "in this session", "yes to a1"},
		{"shop/**", "for ticket T-001", "yes to a2"}})
	p.click("a", "yes to a2")
	p.await(`to => location.hash === to`, "#/s/"+session+"/asks")
}

func showsDiscussions(t *testing.T, b *rod.Browser) {
	f := open(t)
	f.says("/api/discussions/create", `{"name":"plan"}`, 200)
	f.says("/api/discussions/entries/add", `{"discussion":"plan","role":"User","content":"Which way?"}`, 200)
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	p.at("discussion/plan")
	p.has("plan", "Which way?")
	p.fill("New entry or message", "The short one")
	p.click("button", "Add as an entry")
	p.has("The entry was added.")
	type list struct {
		Entries []projections.DiscussionEntry
	}
	entries := viewOf[list](f, "/api/discussions/entries?name=plan").Entries
	require.Len(t, entries, 2)
	for _, e := range entries {
		p.has(e.Entry.Content)
	}
	p.click("button", "Edit")
	p.fill("Content", " Left or right?")
	p.click("button", "Save$")
	p.has("Which way? Left or right?")
	p.click("button", "Branch here")
	p.has("plan_take_1", "from plan")
	p.click("a", "plan_take_1")
	p.await(`() => location.hash.endsWith("/discussion/plan_take_1")`)
	p.await(`() => document.querySelectorAll("main article").length === 1`)
	p.click("button", "Make it active")
	p.has("● active")
	p.fill("Name of a preset", "small")
	p.click("button", "Save the files as a preset")
	p.has("small", "Load")
}

// movesDiscussions renames a discussion and a take, and imports what it exported before.
func movesDiscussions(t *testing.T, b *rod.Browser) {
	f := open(t, withFolder(&folder{}))
	f.says("/api/discussions/create", `{"name":"plan"}`, 200)
	f.says("/api/discussions/entries/add", `{"discussion":"plan","role":"User","content":"Which way?"}`, 200)
	f.says("/api/discussions/branch", `{"name":"plan"}`, 200)
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	p.at("discussion/plan")
	p.has("Which way?")
	require.NotContains(t, p.text(), "Promote the take", "it is no take")
	p.fill("Another name", "main")
	p.click("button", "Rename")
	p.has("a discussion of that name already exists")
	p.fill("Another name", "tenance")
	p.click("button", "Rename")
	p.await(`() => location.hash.endsWith("/discussion/maintenance")`)
	p.at("discussion/plan_take_1")
	p.fill("Another name", "plan B")
	p.click("button", "Promote the take")
	p.await(`() => location.hash.endsWith("/discussion/plan%20B")`)
	names := func() []string {
		var out []string
		for _, d := range viewOf[struct{ Discussions []projections.DiscussionInfo }](f, "/api/discussions").Discussions {
			out = append(out, d.Name)
		}
		return out
	}
	require.ElementsMatch(t, []string{"main", "maintenance", "plan B"}, names())

	p.click("summary", "Import and export")
	p.run(`() => { URL.createObjectURL = blob => { blob.text().then(text => { window.saved = text }); return "#" }
		HTMLAnchorElement.prototype.click = function() { window.savedAs = this.download } }`)
	p.click("button", "Export all discussions")
	p.await(`() => window.savedAs === "history.toml" && window.saved !== undefined`)
	saved, err := p.Eval(`() => window.saved`)
	require.NoError(t, err)
	exported := viewOf[struct{ TOML string }](f, "/api/discussions/export").TOML
	require.Equal(t, exported, saved.Value.Str())

	file := func(name, text string) {
		t.Helper()
		path := filepath.Join(t.TempDir(), name)
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		field, err := p.Element(`[aria-label="File to import"]`)
		require.NoError(t, err)
		require.NoError(t, field.SetFiles([]string{path}))
	}
	p.has("of at most 10.0 MiB")
	file("large.toml", strings.Repeat("x", 10<<20+1))
	p.has("The file has 10.0 MiB; an import takes 10.0 MiB.")
	file("bytes.toml", "\xff")
	p.has("The file cannot be read as UTF-8 text.")
	f.says("/api/discussions/delete", `{"name":"plan B"}`, 200)
	p.at("discussion/maintenance")
	imports := func() {
		t.Helper()
		p.click("button", "Import …")
		p.settle()
		p.press(input.KeyY)
	}
	file("history.toml", exported)
	p.await(`text => document.querySelector("[aria-label='Text to import']").value === text`, exported)
	imports()
	p.has("The discussions are imported.", "plan B")
	require.ElementsMatch(t, []string{"main", "maintenance", "plan B"}, names())
	p.fill("Text to import", "no history")
	imports()
	p.has("line 1: ")
	p.await(`() => document.querySelector("[aria-label='Text to import']").value === "no history"`)
}

// handsADiscussionOn previews the next request of a discussion, has it summarised, and makes a goal of it.
func handsADiscussionOn(t *testing.T, b *rod.Browser) {
	f := aggregating(t, "They want the short way.")
	for _, said := range []string{"Which way?", "The short one", "Then mend it"} {
		f.says("/api/discussions/entries/add", `{"role":"User","content":"`+said+`"}`, 200)
	}
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	p.at("discussion/main")
	p.has("Then mend it")
	p.fill("New entry or message", "go left")
	p.click("button", "Show the next request")
	model := f.preview("discussion=main&text=go+left")
	p.has(fmt.Sprintf("The next request: about %d tokens", model.Tokens))
	p.await(`parts => document.querySelectorAll("table[aria-label='Parts of the next request'] tbody tr").length === parts`,
		len(model.Parts))
	p.click("button", "Summarise earlier entries")
	asked := f.expect("TurnRequested", anyEvent).Payload.(events.TurnRequested)
	require.Equal(t, "go left", asked.Text)
	require.True(t, asked.Compact)
	p.has("The model writes a summary", "main_take_1")
	p.fill("New entry or message", "mend the shop")
	p.run(`() => { const how = document.querySelector("select[aria-label='How to work on the goal']")
		how.value = "track"
		how.dispatchEvent(new Event("change", {bubbles: true})) }`)
	p.click("button", "Hand over as a goal")
	p.has("The goal was submitted. Its models see this discussion as it reads now.")
	goals := recorded[events.GoalSubmitted](f)
	require.Len(t, goals, 1)
	require.Equal(t, "mend the shop", goals[0].Goal)
	require.True(t, goals[0].Track)
	require.Equal(t, "main", recorded[events.TalkAttached](f)[0].Discussion)
}

// undoesChanges takes the removal of an entry back, and repeats it.
func undoesChanges(t *testing.T, b *rod.Browser) {
	f := open(t)
	f.says("/api/discussions/entries/add", `{"role":"User","content":"Which way?"}`, 200)
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	p.at("discussion/main")
	p.has("Which way?")
	p.click("button", "Remove$")
	p.has("No entries yet.")
	p.click("button", "Undo")
	p.has("Undone.", "Which way?")
	p.click("button", "Redo")
	p.has("Redone.", "No entries yet.")
}

// choosesLines makes lines of a file what models see of it.
func choosesLines(t *testing.T, b *rod.Browser) {
	f := open(t, withFolder(&folder{files: map[string]string{"a.py": "def f(): ..."}}))
	f.says("/api/project", `{"project":{"files":{"paths":["*"]}}}`, 200)
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	p.at("discussion")
	p.has("a.py", "Only some lines")
	p.run(`() => document.querySelectorAll("details").forEach(d => { d.open = true })`)
	p.fill("Lines of a.py", "3-9")
	p.click("button", "Add lines")
	asked := f.expect("ContextInjectionRequested", anyEvent)
	want := asked.Payload.(events.ContextInjectionRequested)
	require.Equal(t, []any{"a.py", 3, 9}, []any{want.Path, want.Slice.StartLine, want.Slice.EndLine})
	found := *want.Slice
	found.Head, found.Tail = []string{"def f():"}, []string{"    return 1"}
	f.put("worker-x-1", events.ContextBuilt{Request: asked.ID, Views: []events.View{{Path: "a.py", View: want.View,
		Text: "def f():", SHA256: "ab", Size: 8, Slice: &found}}})
	p.has("Tickets see lines 3-9 of a.py.", "Lines 3-9")
}

func submitsAGoal(t *testing.T, b *rod.Browser) {
	f := open(t)
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	p.at("goal")
	p.fill("Goal", "mend the shop")
	p.run(`() => document.querySelector("input[type=checkbox]").click()`)
	p.run(`() => document.querySelector("textarea").focus()`)
	require.NoError(t, p.KeyActions().Press(input.ControlLeft).Type(input.Enter).Do())
	p.await(`to => location.hash === to`, "#/s/"+session+"/live")
	p.has("mend the shop")
	require.Equal(t, []events.GoalSubmitted{{Goal: "mend the shop", Solo: true}}, recorded[events.GoalSubmitted](f))
}

// startsASession replaces an open session, and then begins behind a closed one.
func startsASession(t *testing.T, b *rod.Browser) {
	f := open(t)
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	p.run(`() => { location.hash = "#/sessions" }`)
	p.click("a", "New goal or session")
	p.fill("Goal", "mend the shop")
	p.click("button", "Submit to a new session …")
	p.has("This session is closed, and all work in it stops.")
	require.Empty(t, recorded[events.SessionClosed](f))
	p.settle()
	p.press(input.KeyY)
	p.await(`old => location.hash.endsWith("/live") && !location.hash.includes(old)`, session)
	p.has("mend the shop")
	next, sessions := current(t, f)
	require.Equal(t, 2, sessions)
	goal := viewOf[views.Overview](f, "/api/overview?session="+next)
	require.Equal(t, "mend the shop", goal.Goal)
	require.Nil(t, goal.Closed)

	require.Equal(t, 200, f.post("/api/sessions/close?session="+next, access.RightHuman, `{}`).status)
	p.run(`next => { location.hash = "#/s/" + next + "/goal" }`, next)
	p.has("Submit to a new session")
	p.await(`() => ![...document.querySelectorAll("button")].some(b => b.innerText.startsWith("Submit to this"))`)
	p.fill("Goal", "and paint it")
	p.click("button", "Submit to a new session")
	p.await(`old => location.hash.endsWith("/live") && !location.hash.includes(old)`, next)
	p.has("and paint it")
	p.at("goal")
	p.has("This session is closed.", "Start from the newest session")
}
