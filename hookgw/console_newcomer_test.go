package hookgw_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/input"
	"github.com/go-rod/rod/lib/proto"
	"github.com/oklog/ulid/v2"
	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/views"
	"manualslop/hookgw/wire"
	"manualslop/projections"
)

// showsBlockedTickets finds a blocked ticket and its reason from each place that lists what waits.
func showsBlockedTickets(t *testing.T, b *rod.Browser) {
	f := open(t)
	f.graph()
	f.begin("T-001")
	p := consoleOf(t, b, f)
	p.awaitText("Nothing is waiting for you.")
	require.NotContains(t, p.text(), "blocked")
	blocked := events.TicketBlocked{Ticket: "T-001", Kind: events.BlockWorker, Reason: "the test needs a key\nsecond line"}
	f.put(events.ActorConductor, blocked)
	const told = "T-001 is blocked: the test needs a key…"
	p.has("No question is open.", told)
	require.Contains(t, string(f.get("/api/inbox", access.RightRead).body), `"ticket":"T-001","kind":"worker",`+
		`"reason":"the test needs a key…"`)
	require.Contains(t, p.names("link", 4), "✗ 1 blocked")
	p.click("a", "✗ 1 blocked")
	p.await(`to => location.hash === to`, "#/s/"+session+"/tickets/T-001")
	p.has("it is blocked (worker)", told) // the frame of the session says it, too
	p.run(`() => { location.hash = "#/sessions" }`)
	p.has("Waiting for you", told)
	p.click("a", "✗ T-001 is blocked")
	p.await(`to => location.hash === to`, "#/s/"+session+"/tickets/T-001")
	f.put(events.ActorConductor, events.TicketUnblocked{Ticket: "T-001"})
	p.await(`() => !document.body.innerText.includes("is blocked")`)
	require.NotContains(t, p.names("link", 4), "✗ 1 blocked")
}

// fitsAPhone opens what is chosen on the screen of a phone, not below it.
func fitsAPhone(t *testing.T, b *rod.Browser) {
	f := open(t)
	f.graph()
	f.begin("T-001")
	p := consoleOf(t, b, f)
	require.NoError(t, p.SetViewport(&proto.EmulationSetDeviceMetricsOverride{Width: 390, Height: 844,
		DeviceScaleFactor: 1}))
	p.awaitText("● connected")
	p.at("tickets")
	p.click("a", "T-002")
	p.await(`() => { const at = document.querySelector("section[aria-label=Ticket] h2")?.getBoundingClientRect()
		return at && at.top >= 0 && at.bottom <= innerHeight }`)
	p.click("a", "← All tickets")
	p.await(`() => document.querySelector("tbody tr")?.getBoundingClientRect().height > 0`)

	for round := range 20 {
		f.asksModel("T-001", round+1)
	}
	p.at("conversation/T-001")
	onScreen := `text => [...document.querySelectorAll("h2")].some(h => { const at = h.getBoundingClientRect()
		return h.innerText.startsWith(text + " ") && at.top >= 0 && at.bottom <= innerHeight })`
	p.await(onScreen, "Request 20")
	f.asksModel("T-001", 21)
	p.await(onScreen, "Request 21")
	p.run(`() => scrollTo(0, 0)`)
	p.await(onScreen, "Request 1")
	p.run(`() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))`) // it notes the place
	f.asksModel("T-001", 22)
	p.has("Request 22")
	p.await(onScreen, "Request 1")
}

// namesEventsWhole reads the names of events in a narrow window.
func namesEventsWhole(t *testing.T, b *rod.Browser) {
	f := open(t)
	f.graph()
	f.begin("T-001")
	f.raise("a1", events.GateTool)
	f.put(events.ActorConductor, events.TicketBlocked{Ticket: "T-001", Kind: events.BlockWorker,
		Reason: strings.Repeat("because ", 40)})
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	for _, width := range []int{1280, 700, 390} {
		require.NoError(t, p.SetViewport(&proto.EmulationSetDeviceMetricsOverride{Width: width, Height: 720,
			DeviceScaleFactor: 1}))
		p.at(fmt.Sprint("replay?w=", width))
		p.has("TicketBlocked")
		got, err := p.Eval(`() => [...document.querySelectorAll("table[aria-label=Events] tbody td:nth-child(4)")]
			.filter(cell => { const all = document.createRange()
				all.selectNodeContents(cell)
				return new Set([...all.getClientRects()].map(r => r.top)).size > 1 }).map(cell => cell.innerText).join()`)
		require.NoError(t, err)
		require.Empty(t, got.Value.Str(), "broken at %d pixels", width)
	}
}

// showsQuarantinedTools shows what changed in a tool of an MCP server since it was trusted.
func showsQuarantinedTools(t *testing.T, b *rod.Browser) {
	f := open(t, func(c *core.Config) {
		c.Servers = func() wire.MCPServerList {
			changed := wire.MCPTool{Name: "add", State: "changed", Diff: "-Adds a note.\n+Adds a note <b>and mails it</b>.\n"}
			return wire.MCPServerList{Servers: []wire.MCPServer{{Name: "notes", Trusted: true, State: "running",
				Quarantined: []wire.MCPTool{changed}}}}
		}
	})
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	p.at("settings")
	p.click("summary", "✗ add of notes cannot be called: changed")
	p.has("+Adds a note <b>and mails it</b>.", "slop mcp trust notes")
}

// explainsAChange leads from a changed file to the ticket's text and to the call that wrote it.
func explainsAChange(t *testing.T, b *rod.Browser) {
	blobs := eventstest.NewMemory()
	f := open(t, withBlobs(blobs))
	f.listed(blobs)
	call := viewOf[views.Conversation](f, "/api/conversation?worker=T-001").Rounds[0].Calls[0].ID
	for round := range 20 {
		f.asksModel("T-001", round+2)
	}
	ref, err := blobs.Put(t.Context(), []byte("new\n"), events.ContentBytesMedia)
	require.NoError(t, err)
	f.write("c1", "T-001", "a.go", "", ref.SHA256)
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	p.at("changes/a.go")
	p.has("Mend T-001 what the model said")
	p.await(`() => document.querySelector("a[href$='conversation/T-001?call=c1']") !== null`)
	p.at("conversation/T-001?call=" + url.QueryEscape(call))
	p.await(`call => { const found = document.querySelector("details.call[open]")
		const at = found?.getBoundingClientRect()
		return at && found.dataset.call === call && at.top >= 0 && at.top < innerHeight }`, call)

	g := open(t)
	g.raise("a1", events.GateTool)
	p = consoleOf(t, b, g)
	p.await(`() => document.querySelectorAll("nav li").length === 1`)
	p.choose("a1")
	p.click("a", "demo") // the session of the question
	p.await(`to => location.hash === to`, "#/s/"+session+"/live")
}

// saysWhatBecameOfACall shows the state and the result of a call where it was approved.
func saysWhatBecameOfACall(t *testing.T, b *rod.Browser) {
	f := open(t, withRules)
	f.approve()
	f.graph()
	f.begin("T-001")
	asked := f.asksModel("T-001", 1)
	call := events.CallID(asked.ID, 0)
	args := json.RawMessage(`{"script":"make"}`)
	f.put(events.ActorModels, events.ModelReplied{Request: asked.ID, Text: "I run it.", Finish: "tool_calls",
		Calls: []events.ToolCall{{ID: call, Name: "run_powershell", Args: args}}})
	f.put(events.ActorContributor, events.ToolRequested{Call: call, Tool: "run_powershell", Args: args, Ticket: "T-001",
		Attempt: 1, Round: 1})
	f.put(events.ActorApproval, events.AskRaised{Ask: "a1", Gate: events.GateTool, Title: "run make", Call: call,
		Tool: "run_powershell", Ticket: "T-001", Attempt: 1, Args: args})
	p := consoleOf(t, b, f)
	p.await(`() => document.querySelectorAll("nav li").length === 1`)
	p.choose("a1")
	require.NotContains(t, p.text(), "Select to answer several", "there is only one question")
	p.click("button", "Yes, from now on …")
	p.has("Leave it")
	p.press(input.Escape)
	p.await(`() => !document.body.innerText.includes("Leave it")`)
	p.at("conversation/T-001")
	p.has("○ waiting")
	p.click("summary", "run_powershell")
	p.has("⚑ It waits for your answer")
	p.choose("a1")
	p.click("button", "Yes, this once")
	p.has("You said yes.", "○ waiting")
	f.put(events.ActorApproval, events.ToolApproved{Call: call, Tool: "run_powershell", Args: args, ArgsSHA256: "d",
		Effect: "executes", Ticket: "T-001", Attempt: 1, Generation: 1, By: person, Ask: "a1"})
	p.has("◐ running for")
	f.put("worker-h-1", events.ToolSettled{Call: call, Tool: "run_powershell", Outcome: events.ToolFailed,
		Text: "no rule to make <b>target</b>\nstop\n", ArgsSHA256: "d", Generation: 1, DurationMS: 1500})
	p.has("✗ failed, 1.5 s", "no rule to make <b>target</b>", "In the timeline")
	shown := viewOf[views.Called](f, "/api/calls/"+call)
	require.Equal(t, []any{"failed", "no rule to make <b>target</b>\nstop\n", string(args)},
		[]any{shown.State, shown.Text, string(shown.Args)})
	for _, unknown := range []string{"a1", asked.ID, "x"} {
		require.Equal(t, http.StatusNotFound, f.get("/api/calls/"+unknown, access.RightRead).status)
	}
	p.click("a", "In the conversation")
	p.await(`to => location.hash === to`, "#/s/"+session+"/conversation/T-001?call="+url.QueryEscape(call))
	p.await(`text => document.querySelector("details.call summary").innerText.includes(text)`,
		"no rule to make <b>target</b>")
	ticket := viewOf[views.Tickets](f, "/api/tickets").Tickets[0]
	require.Nil(t, ticket.WaitsSince)
	settled := recorded[events.AskSettled](f)
	require.Len(t, settled, 1)
	p.at("asks")
	p.click("a", "what became of it")
	p.await(`to => location.hash === to`, "#/s/"+session+"/timeline/"+url.PathEscape(call))
}

// comparesPositions shows how files differ between two events.
func comparesPositions(t *testing.T, b *rod.Browser) {
	blobs := eventstest.NewMemory()
	f := open(t, withBlobs(blobs))
	f.graph()
	var digests []string
	for _, text := range []string{"one\n", "two\n", "three\n"} {
		ref, err := blobs.Put(t.Context(), []byte(text), events.ContentBytesMedia)
		require.NoError(t, err)
		digests = append(digests, ref.SHA256)
	}
	f.write("c1", "T-001", "a.go", digests[0], digests[1])
	middle := f.last()
	f.write("c2", "T-001", "a.go", digests[1], digests[2])
	last := f.last()
	f.write("c3", "T-002", "b.go", "", digests[0])
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	p.at(fmt.Sprint("replay?at=", middle))
	p.click("a", "from this event to now")
	p.await(`to => location.hash === to`, fmt.Sprint("#/s/", session, "/changes?from=", middle))
	p.click("a", "a.go")
	p.has("-two", "+three", "+1 −1", "b.go")
	require.NotContains(t, p.text(), "-one")
	list := viewOf[projections.Changes](f, fmt.Sprint("/api/changes?from=", middle))
	require.Len(t, list.Files, 2)
	require.Len(t, list.Files[0].Writes, 1)
	p.click("button", "Undo …")
	p.has(fmt.Sprint("a.go gets back the content that it had at event ", middle))
	p.press(input.Escape)
	p.at(fmt.Sprint("replay?at=", middle))
	p.click("button", "Mark event")
	p.at("replay?at=2")
	p.click("a", fmt.Sprint("between event ", middle, " and this one"))
	p.click("a", "a.go")
	p.has("-one", "+two")
	require.NotContains(t, p.text(), "b.go")
	p.at("changes/a.go")
	p.await(`() => document.querySelectorAll("table a[href*='from=']").length === 2`)
	p.run(`() => document.querySelectorAll("table a[href*='from=']")[1].click()`)
	p.await(`to => location.hash.endsWith(to)`, fmt.Sprintf("/changes/a.go?from=%d&at=%d", last-1, last))
	p.has("-two", "+three")
	p.at("changes/a.go?ticket=T-003")
	p.has("T-003 changed no file.", "Files that others changed")
	p.at("changes/a.go")
	p.click("button", "Undo it …")
	p.has("before this call of edit_file")
	p.settle()
	p.press(input.KeyY)
	asked := f.expect("UndoRequested", anyEvent)
	require.Equal(t, events.UndoRequested{Call: "c1", Path: "a.go"}, asked.Payload)
	f.put(events.ActorApproval, events.ToolApproved{Call: events.UndoCall(asked.ID), Tool: events.RestoreTool,
		Args: json.RawMessage(`{}`), ArgsSHA256: "d", Effect: "writes", Generation: 1, By: person})
	f.put("worker-h-1", events.ToolSettled{Call: events.UndoCall(asked.ID), Tool: events.RestoreTool,
		Outcome: events.ToolInterrupted, ArgsSHA256: "d", Generation: 1, Files: []events.FileState{{Path: "a.go",
			Before: digests[2], SHA256: digests[1], Written: true}}})
	p.await(`() => document.querySelectorAll("tbody tr").length === 3 &&
		document.querySelectorAll("tbody a[href*='/timeline/']").length === 2 &&
		document.querySelectorAll("tbody a[href*='/conversation/']").length === 2`)
	p.at("changes/a.go?ticket=T-001&from=2")
	p.has("Who wrote it")
	require.NotContains(t, p.text(), "Undo …")
	for _, wrong := range []string{"from=x", "from=-1", "from=9&at=8", "from=1&at=x"} {
		require.Equal(t, http.StatusBadRequest, f.get("/api/changes?"+wrong, access.RightRead).status, wrong)
	}
	require.Empty(t, viewOf[projections.Changes](f, "/api/changes?from=999999999").Files)
}

// listsAttempts shows how each attempt at a ticket ended, and the notes to its model.
func listsAttempts(t *testing.T, b *rod.Browser) {
	f := open(t)
	f.graph()
	f.begin("T-001")
	block := func() {
		f.put(events.ActorConductor, events.TicketBlocked{Ticket: "T-001", Kind: events.BlockWorker, Reason: "no key"})
	}
	block()
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	p.at("tickets/T-001")
	p.has("Retry starts another attempt", "no key")
	p.fill("Note or reason", "the key is in .env")
	p.click("button", "Send note")
	asked := f.expect("NoteRequested", anyEvent)
	f.react(asked, events.TicketNoted{Ticket: "T-001", By: person, Note: "the key is in .env"})
	p.await(`() => document.querySelector("ul[aria-label='Notes to the model']")?.innerText.includes("the key is in .env")`)
	f.put(events.ActorConductor, events.TicketRetried{Ticket: "T-001", RetryCount: 1})
	f.put(events.ActorConductor, events.TicketStarted{Track: "TR-1", Ticket: events.Ticket{ID: "T-001",
		Description: "Mend T-001"}, Attempt: 2, Model: "m1"})
	attempts := `texts => { const items = [...document.querySelectorAll("ol[aria-label=Attempts] li")]
		return items.length === texts.length && items.every((item, i) => item.innerText.includes(texts[i])) }`
	p.await(attempts, []string{"✗ blocked", "◐ in progress"})
	block()
	p.await(attempts, []string{"✗ blocked", "✗ blocked"})
	p.await(attempts, []string{"no key", "no key"})
}

// stopsAll ends all sessions after a list of them is confirmed.
func stopsAll(t *testing.T, b *rod.Browser) {
	f := open(t)
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	p.run(`() => { location.hash = "#/sessions" }`)
	p.has("New goal or session")
	require.NotContains(t, p.text(), "Stop all", "there is only one session")
	other, err := events.New(events.Origin{ID: ulid.Make().String(), Time: time.Now(), Project: project, Session: "s2",
		Actor: "operator"}, events.SessionOpened{Label: "the other <b>one</b>", Folder: "20260102_030406"})
	require.NoError(t, err)
	_, err = f.log.Append(t.Context(), other, nil)
	require.NoError(t, err)
	p.click("button", "Stop all …")
	p.has("these sessions are closed", "the other <b>one</b>")
	require.Empty(t, recorded[events.SessionClosed](f))
	p.settle()
	p.press(input.KeyY)
	p.has("2 sessions are closed.")
	require.Len(t, recorded[events.SessionClosed](f), 2)
}

// keepsLogFiles stars a session, and restores log files that were deleted.
func keepsLogFiles(t *testing.T, b *rod.Browser) {
	f := open(t)
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	p.run(`() => { location.hash = "#/sessions" }`)
	p.click("button", "☆ keep")
	p.click("button", "★ kept")
	p.has("☆ keep", "No longer kept.")
	require.Equal(t, []events.SessionStarred{{On: true}, {On: false}}, recorded[events.SessionStarred](f))
	f.put(events.ActorGateway, events.LogsPruned{Reason: "test"})
	p.click("button", "deleted: restore")
	p.has("The log files are written again.", "☆ keep")
	require.Len(t, recorded[events.LogsRestored](f), 1)
}
