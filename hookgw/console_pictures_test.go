package hookgw_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/input"
	"github.com/go-rod/rod/lib/proto"
	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
)

// takesPictures draws the pictures of docs/console.md and, with SLOP_PICTURES=1, writes them: no two are alike.
func takesPictures(t *testing.T, b *rod.Browser) {
	blobs := eventstest.NewMemory()
	f := open(t, withBlobs(blobs))
	f.listed(blobs)
	f.put(events.ActorApproval, events.AskSettled{Ask: "a1", Gate: events.GateTool, Outcome: events.Yes, By: person,
		AnswerID: "x"})
	put := func(text string) string {
		ref, err := blobs.Put(t.Context(), []byte(text), events.ContentBytesMedia)
		require.NoError(t, err)
		return ref.SHA256
	}
	const before = "def split_cents(total, parts):\n    return [total // parts] * parts\n"
	const after = "def split_cents(total, parts):\n    each, rest = divmod(total, parts)\n" +
		"    return [each + (n < rest) for n in range(parts)]\n"
	f.write("c1", "T-001", "shop/money.py", put(before), put(after))
	f.put(events.ActorConductor, events.TicketCompleted{Ticket: "T-001"})
	f.begin("T-002")
	f.asksModel("T-002", 1)
	f.put(events.ActorApproval, events.AskRaised{Ask: "a2", Gate: events.GateTool, Title: "edit_file shop/cart.py",
		Ticket: "T-002", Tool: "edit_file", Effect: "writes", Note: "no rule allows it",
		Diff: "--- a/shop/cart.py\n+++ b/shop/cart.py\n@@ -1,2 +1,2 @@\n def total(cart):\n-    return sum(cart)\n" +
			"+    return sum(item.price * item.count for item in cart)\n",
		Args: json.RawMessage(`{"path":"shop/cart.py"}`)})
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	require.NoError(t, p.SetViewport(&proto.EmulationSetDeviceMetricsOverride{Width: 1280, Height: 720,
		DeviceScaleFactor: 1}))
	for _, shot := range []struct{ name, scheme, place, shows string }{
		{"inbox-light", "light", "#/inbox/a2", "item.price"},
		{"tickets-dark", "dark", "#/s/" + session + "/tickets/T-002?as=graph", "T-003"},
		{"timeline-light", "light", "#/s/" + session + "/timeline", "edit_file shop/cart.py"},
		{"changes-dark", "dark", "#/s/" + session + "/changes/shop%2Fmoney.py", "divmod"},
	} {
		require.NoError(t, proto.EmulationSetEmulatedMedia{Features: []*proto.EmulationMediaFeature{
			{Name: "prefers-color-scheme", Value: shot.scheme}}}.Call(p))
		p.run(`to => { location.hash = to }`, shot.place)
		p.has(shot.shows)
		// nothing is wider than the page, and the scheme is the one that was asked for
		p.await(`() => document.documentElement.scrollWidth <= innerWidth`)
		p.await(`dark => getComputedStyle(document.body).backgroundColor === (dark ? "rgb(21, 23, 26)" : "rgb(255, 255, 255)")`,
			shot.scheme == "dark")
		p.press(input.Escape)
		png, err := p.Screenshot(false, nil)
		require.NoError(t, err)
		require.Greater(t, len(png), 10_000)
		if os.Getenv("SLOP_PICTURES") != "" {
			folder := filepath.Join("..", "docs", "pictures")
			require.NoError(t, os.MkdirAll(folder, 0o750))
			require.NoError(t, os.WriteFile(filepath.Join(folder, "console-"+shot.name+".png"), png, 0o600))
		}
	}
}

// showsHostileTextEverywhere puts markup, hidden characters and a long line into every field of every view.
func showsHostileTextEverywhere(t *testing.T, b *rod.Browser) {
	const hostile = `<img src=x onerror="document.title='taken'"><script>document.title='taken'</script>` +
		"\u202egnp.exe\x1b]0;taken\x07"
	blobs := eventstest.NewMemory()
	f := open(t, withBlobs(blobs))
	goal := f.put(person, events.GoalSubmitted{Goal: hostile})
	f.put(events.ActorConductor, events.TrackStarted{Goal: goal.ID, Track: events.Track{ID: "TR-1", Title: hostile,
		Description: hostile}})
	ticket := events.Ticket{ID: "T-001", Description: hostile, Status: events.StatusTodo, TargetFile: hostile,
		Priority: hostile}
	f.put(events.ActorLead, events.TicketsPlanned{Track: "TR-1", Tickets: []events.Ticket{ticket}})
	f.put(events.ActorConductor, events.TicketStarted{Track: "TR-1", Ticket: ticket, Attempt: 1, Model: hostile})
	asked := f.put(events.ActorContributor, events.ModelRequested{StreamID: hostile, Ticket: "T-001", Attempt: 1,
		TicketAttempt: 1, Round: 1, Tier: 3, Provider: hostile, Model: hostile, Manifest: []events.Part{
			{Role: "system", Text: hostile}, {Role: "user", Text: hostile}}})
	call := events.CallID(asked.ID, 0)
	args, err := json.Marshal(map[string]string{hostile: hostile})
	require.NoError(t, err)
	f.put(events.ActorModels, events.ModelReplied{Request: asked.ID, Text: hostile, Finish: "tool_calls",
		Calls: []events.ToolCall{{ID: call, Name: hostile, Args: args}}})
	f.write("c1", "T-001", "a/"+hostile, "", events.Digest([]byte("x")))
	f.put(events.ActorConductor, events.TicketBlocked{Ticket: "T-001", Kind: events.BlockWorker, Reason: hostile})
	f.put("operator", events.RuleAdded{Rule: events.Rule{Tool: hostile, Action: "allow", Source: hostile}})
	f.says("/api/discussions/entries/add", `{"role":"User","content":`+string(quoted(t, hostile))+`}`, 200)
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	for _, view := range []string{"live", "tickets/T-001", "tickets?as=graph", "timeline/" + asked.ID,
		"conversation/T-001", "changes", "cost", "discussion", "replay", "settings"} {
		p.run(`to => { location.hash = to }`, "#/s/"+session+"/"+view)
		p.has("<U+202E>gnp.exe")
		p.run(`() => document.querySelectorAll("details").forEach(d => { d.open = true })`)
		p.await(`() => document.images.length === 0 && document.scripts.length === 1 && !document.title.includes("taken")`)
		require.NotContains(t, p.text(), "\u202e", view)
		require.NotContains(t, p.text(), "\x1b", view)
	}
}

func quoted(t *testing.T, text string) []byte {
	t.Helper()
	raw, err := json.Marshal(text)
	require.NoError(t, err)
	return raw
}

// namesEverything walks the accessibility tree of every view for what a screen reader could not name, at the width of a
// desk and of a phone, on which nothing may be wider than the screen.
func namesEverything(t *testing.T, b *rod.Browser) {
	blobs := eventstest.NewMemory()
	f := open(t, withBlobs(blobs))
	f.showing(blobs)
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	for _, width := range []int{1280, 390} {
		require.NoError(t, p.SetViewport(&proto.EmulationSetDeviceMetricsOverride{Width: width, Height: 720,
			DeviceScaleFactor: 1}))
		for place, shows := range everyView() {
			p.run(`to => { location.hash = to }`, place)
			p.has(shows)
			tree, err := proto.AccessibilityGetFullAXTree{}.Call(p)
			require.NoError(t, err)
			mains := 0
			for _, node := range tree.Nodes {
				if node.Ignored || node.Role == nil {
					continue
				}
				switch role := node.Role.Value.Str(); role {
				case "main":
					mains++
				case "button", "link", "textbox", "searchbox", "checkbox", "combobox", "slider", "meter", "table", "navigation":
					named := node.Name != nil && strings.TrimSpace(node.Name.Value.Str()) != ""
					require.True(t, named || role == "table", "%s at %s has no name", role, place)
				}
			}
			require.LessOrEqual(t, mains, 1, place)
			p.await(`place => document.documentElement.scrollWidth <= innerWidth`, place, width)
			p.await(`() => document.activeElement === document.body`) // no key press can approve anything
		}
	}
}

func asksToLoadANewerConsole(t *testing.T, b *rod.Browser) {
	f := open(t)
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	require.NotContains(t, p.text(), "newer console")
	p.run(`() => { document.querySelector("meta[name=build]").content = "older" }`)
	p.run(`to => { location.hash = to }`, "#/s/"+session+"/live") // connects anew
	p.has("A newer version of the console is available.")
	p.click("button", "Load it")
	p.await(`() => document.querySelector("meta[name=build]")?.content !== "older"`)
	p.awaitText("● connected")
	require.NotContains(t, p.text(), "newer console")
}
