package hookgw_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/proto"
	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/views"
	"manualslop/hookgw/wire"
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
	p.awaitText("● live")
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
	p.awaitText("● live")
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
	p.awaitText("● live")
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
	p.awaitText("● live")
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
