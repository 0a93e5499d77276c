package hookgw_test

import (
	"os"
	"strings"
	"testing"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/input"
	"github.com/go-rod/rod/lib/proto"
	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
)

// axeCore is where "make tsc" installs axe-core.
const axeCore = "../bin/tsc/node_modules/axe-core/axe.min.js"

// everyView is the address of each view with something to show, and a text that is there once it is drawn.
func everyView() map[string]string {
	own := "#/s/" + session
	return map[string]string{
		"#/inbox": "choose a question", "#/inbox/a1": "Yes, this once", "#/sessions": "Waiting for you",
		"#/search?q=x": "Words", own + "/live": "Tier 4", own + "/tickets": "Waits for", own + "/tickets/T-001": "waits for",
		own + "/tickets?as=graph": "Graph", own + "/asks": "Answer", own + "/timeline/a1": "AskRaised",
		own + "/conversation/T-001": "Request 1", own + "/changes": "money.py",
		own + "/changes/" + longPath: "Who wrote it", own + "/cost": "By model", own + "/discussion": "Presets",
		own + "/replay": "As it was at", own + "/tickets?at=5": "as it was at", own + "/event/3": "What happened",
		own + "/settings": "Rules", own + "/goal": "Submit",
	}
}

var longPath = strings.ReplaceAll("a/very/long/"+strings.Repeat("path/", 30)+"money.py", "/", "%2F")

// showing puts something to show for every view.
func (f *fixture) showing(blobs events.Blobs) {
	f.t.Helper()
	f.listed(blobs)
	f.write("c1", "T-001", strings.ReplaceAll(longPath, "%2F", "/"), "", events.Digest([]byte("x")))
	f.says("/api/discussions/entries/add", `{"content":"Which way?"}`, 200)
	f.raise("a2", events.GateTool)
	f.put(events.ActorApproval, events.AskRaised{Ask: "a0", Gate: events.GateTool, Title: "make", Ticket: "T-001"})
	f.put(events.ActorApproval, events.AskSettled{Ask: "a0", Gate: events.GateTool, Outcome: events.No, By: person,
		AnswerID: "x", Reason: "not now"})
}

// hasNoFaultsOfAxe runs axe-core over every view in light and dark, and over what opens within a view.
func hasNoFaultsOfAxe(t *testing.T, b *rod.Browser) {
	source, err := os.ReadFile(axeCore)
	if err != nil {
		t.Skip("axe-core is not installed; make tsc installs it (needs npm)")
	}
	blobs := eventstest.NewMemory()
	f := open(t, withBlobs(blobs), withRules)
	f.approve()
	f.showing(blobs)
	faults := func(p tab) []string {
		t.Helper()
		got, err := p.Eval(`async () => {
			const { violations } = await axe.run(document, { resultTypes: ["violations"] })
			return violations.map(v => [v.impact, v.id, v.help, ...v.nodes.slice(0, 3).map(n => n.html.slice(0, 300) + " " +
				[...n.any, ...n.all].map(c => c.message).join("; "))].join("\n\t"))
		}`)
		require.NoError(t, err)
		var out []string
		for _, fault := range got.Value.Arr() {
			out = append(out, fault.Str())
		}
		return out
	}
	check := func(p tab, where string) {
		t.Helper()
		require.Empty(t, faults(p), where)
	}
	load := func(p tab) {
		t.Helper()
		_, err := proto.RuntimeEvaluate{Expression: string(source)}.Call(p)
		require.NoError(t, err)
	}
	out := visit(t, b, f.gw.URL())
	out.awaitText("This browser is not signed in.")
	load(out)
	check(out, "signed out")
	out.run(`() => {
		const planted = document.createElement("main")
		planted.append(document.createElement("button"))
		document.body.append(planted)
	}`)
	require.NotEmpty(t, faults(out), "axe sees a button without a name")
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	load(p)
	p.click("button", "\\? keys")
	for _, scheme := range []string{"light", "dark"} {
		require.NoError(t, proto.EmulationSetEmulatedMedia{Features: []*proto.EmulationMediaFeature{
			{Name: "prefers-color-scheme", Value: scheme}}}.Call(p))
		for place, shows := range everyView() {
			p.run(`to => { location.hash = to }`, place)
			p.has(shows)
			p.run(`() => document.querySelectorAll("details").forEach(d => { d.open = true })`)
			check(p, scheme+" "+place)
		}
		p.choose("a2")
		p.press(input.KeyE)
		p.has("path", "Leave them")
		check(p, scheme+" edited arguments")
		p.press(input.KeyE)
	}
}
