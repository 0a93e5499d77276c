package hookgw_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/go-rod/rod"
	"github.com/go-rod/rod/lib/input"
	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/projections"
	"manualslop/tiers/approval"
)

// withRules makes the rules of answers as the engine does.
func withRules(c *core.Config) {
	c.RuleOf = func(now projections.Settings, ask events.AskRaised, patterns []string, scope string) (events.Rule, error) {
		opened := events.SessionOpened{Workspace: now.Workspace, Settings: now.Settings, Basis: now.Basis}
		return approval.RuleOf(ask, opened, now.Rules, patterns, scope)
	}
}

func editsArguments(t *testing.T, b *rod.Browser) {
	f := open(t)
	f.approve()
	f.put(events.ActorApproval, events.AskRaised{Ask: "a1", Gate: events.GateTool, Title: "write_file a.go",
		Tool: "write_file", Effect: "writes",
		Args: json.RawMessage(`{"path":"a.go","content":"one\ntwo\n","n":12345678901234567890,"deep":{"x":[1]}}`)})
	p := consoleOf(t, b, f)
	p.await(`() => document.querySelectorAll("nav li").length === 1`)
	p.choose("a1")
	p.press(input.KeyE)
	p.await(`() => document.querySelectorAll("section[aria-label='Edited arguments'] textarea").length === 4`)
	p.await(`() => document.activeElement === document.body`)
	value, err := p.Eval(`() => document.querySelector("[aria-label='argument content']").value`)
	require.NoError(t, err)
	require.Equal(t, "one\ntwo\n", value.Value.Str(), "the content of a file is edited as text")
	set := func(name, text string) {
		p.run(`(name, text) => { const at = document.querySelector("[aria-label='argument " + name + "']")
			at.value = text; at.dispatchEvent(new InputEvent("input", {bubbles: true})) }`, name, text)
	}
	set("deep", "{x")
	p.click("button", "Yes, with these arguments")
	p.has("deep is not JSON")
	require.Empty(t, f.answered())
	set("deep", `{"x":[2]}`)
	set("content", "one\nthree\n")
	p.click("button", "Yes, with these arguments")
	p.has("You said yes with other arguments.")
	require.Len(t, f.answered(), 1)
	require.Equal(t, `{"path":"a.go","content":"one\nthree\n","n":12345678901234567890,"deep":{"x":[2]}}`,
		string(f.answered()[0].Args), "a number that a double would change stays as it was")
}

func answersAsARule(t *testing.T, b *rod.Browser) {
	f := open(t, withRules)
	f.approve()
	for ask, path := range map[string]string{"a1": "shop/a.go", "a2": "shop/a.go"} {
		f.put(events.ActorApproval, events.AskRaised{Ask: ask, Gate: events.GateTool, Title: ask + " edits " + path,
			Tool: "edit_file", Effect: "writes", Args: json.RawMessage(`{"path":"` + path + `"}`)})
	}
	var want struct {
		Rule    events.Rule
		Settles []struct{ Title string }
	}
	a := f.get("/api/ask/rule?request_id=a1", access.RightRead)
	require.Equal(t, http.StatusOK, a.status, string(a.body))
	require.NoError(t, json.Unmarshal(a.body, &want))
	require.Equal(t, "edit_file", want.Rule.Tool)
	require.Len(t, want.Settles, 1)
	require.Equal(t, http.StatusUnprocessableEntity, f.get("/api/ask/rule?request_id=a1&scope=x", access.RightRead).status)
	require.Equal(t, http.StatusNotFound, f.get("/api/ask/rule?request_id=x", access.RightRead).status)

	p := consoleOf(t, b, f)
	p.await(`() => document.querySelectorAll("nav li").length === 2`)
	p.choose("a1")
	p.click("button", "Yes, from now on …")
	p.has("and answers 1 more now: "+want.Settles[0].Title, "allows edit_file")
	for _, pattern := range want.Rule.Args {
		p.has(pattern)
	}
	require.Empty(t, f.answered(), "looking at a rule answers nothing")
	p.click("button", "Yes, from now on$")
	p.has("You said yes, from now on.")
	require.Len(t, f.answered(), 1)
	rules := recorded[events.RuleAdded](f)
	require.Len(t, rules, 1)
	require.Equal(t, want.Rule, rules[0].Rule, "the rule is the one that was shown")
}

// needsMoreThanAYes presses the key for yes at questions where it would say what nobody meant.
func needsMoreThanAYes(t *testing.T, b *rod.Browser) {
	f := open(t)
	f.approve()
	f.put(events.ActorApproval, events.AskRaised{Ask: "a1", Gate: events.GateInterrupted,
		Title: "interrupted: run_powershell", Args: json.RawMessage(`{"script":"make"}`)})
	f.put(events.ActorApproval, events.AskRaised{Ask: "a2", Gate: events.GateInput, Title: "db asks: which table?",
		Args: json.RawMessage(`{"message":"Which?","schema":{"type":"object","properties":{` +
			`"table":{"type":"string","description":"its name"},"rows":{"type":"integer"},"why":{"type":"string"}}}}`)})
	f.put(events.ActorApproval, events.AskRaised{Ask: "a3", Gate: events.GateInput, Title: "db asks you to visit x",
		Args: json.RawMessage(`{"message":"Sign in","url":"https://x.test/","origin":"https://x.test"}`)})
	p := consoleOf(t, b, f)
	p.await(`() => document.querySelectorAll("nav li").length === 3`)
	p.choose("a1")
	p.press(input.KeyA)
	require.NotContains(t, p.text(), "Yes, this once")
	p.click("button", "Treat it as done")
	p.has("Treat it as done.")
	p.choose("a2")
	p.press(input.KeyA)
	require.NotContains(t, p.text(), "Yes, this once")
	p.has("its name")
	p.fill("argument table", "users")
	p.fill("argument rows", "12")
	p.settle()
	p.click("button", "Send the form")
	p.has("You said yes with other arguments.")
	p.choose("a3")
	p.click("button", "Yes, I visited it")
	p.has("You said yes.")
	require.Equal(t, []events.AskAnswered{
		{Ask: "a1", Decision: events.Yes, Args: json.RawMessage(`{"resolution":"done"}`)},
		{Ask: "a2", Decision: events.Yes, Args: json.RawMessage(`{"table":"users","rows":12}`)},
		{Ask: "a3", Decision: events.Yes},
	}, f.answered())
}

// editsAPlan writes other tickets for a part, and gives another part up.
func editsAPlan(t *testing.T, b *rod.Browser) {
	f := open(t)
	f.approve()
	plan := func(ask string) {
		f.put(events.ActorApproval, events.AskRaised{Ask: ask, Gate: events.GatePlan, Title: "plan of TR-1: 2 tickets",
			Args: json.RawMessage(`{"tickets":[{"id":"T-001","description":"Mend it","status":"todo","assigned_to":"",` +
				`"context_requirements":null,"depends_on":null,"step_mode":false,"priority":"medium","retry_count":0},` +
				`{"id":"T-002","description":"Paint it","status":"todo","assigned_to":"","context_requirements":null,` +
				`"depends_on":["T-001"],"step_mode":false,"priority":"low","retry_count":0}]}`)})
	}
	plan("a1")
	plan("a2")
	p := consoleOf(t, b, f)
	p.await(`() => document.querySelectorAll("nav li").length === 2`)
	p.choose("a1")
	require.Equal(t, []string{"T-002", "Paint it", "T-001", "", "", "low"}, p.names("cell", 12)[6:12])
	p.press(input.KeyE)
	p.has("Nothing was edited.")
	end := func() { p.run(`() => document.querySelector("main").scrollTo(0, 1e6)`) } // from behind the buttons at its foot
	end()
	p.click("button", "Add a ticket")
	p.fill("what T-003", "Sell it")
	p.fill("after T-003", "T-001")
	p.fill("file T-003", "shop.py")
	p.run(`() => document.querySelector("main").scrollTo(0, 0)`)
	p.click("button", "Remove T-002")
	p.has("Edited: + T-003, − T-002")
	p.click("button", "Yes, work on the edited plan")
	p.has("You said yes to the edited plan.")
	require.Len(t, f.answered(), 1)
	var got struct{ Tickets []events.Ticket }
	require.NoError(t, json.Unmarshal(f.answered()[0].Args, &got))
	require.Equal(t, []events.Ticket{{ID: "T-001", Description: "Mend it", Status: "todo", Priority: "medium"},
		{ID: "T-003", Description: "Sell it", Status: "todo", Priority: "medium", TargetFile: "shop.py",
			DependsOn: []string{"T-001"}}}, got.Tickets)

	p.choose("a2")
	p.click("button", "Give up this part …")
	p.has("Its tickets are not planned")
	require.Len(t, f.answered(), 1)
	p.settle()
	p.press(input.KeyY)
	p.has("You gave it up.")
	require.Equal(t, events.AskAnswered{Ask: "a2", Decision: events.No}, f.answered()[1])
}

// answersSeveral chooses questions that were looked at, and answers them together after one more look.
func answersSeveral(t *testing.T, b *rod.Browser) {
	f := open(t)
	f.approve()
	for _, ask := range []string{"a1", "a2", "a3", "a4"} {
		f.put(events.ActorApproval, events.AskRaised{Ask: ask, Gate: events.GateTool, Title: "edit " + ask,
			Tool: "edit_file", Args: json.RawMessage(`{"path":"a.go"}`)})
	}
	p := consoleOf(t, b, f)
	p.await(`() => document.querySelectorAll("nav li").length === 4`)
	p.run(`() => { performance.now = () => 1000 }`)
	for i, ask := range []string{"a1", "a2"} {
		p.run(`ask => { location.hash = "#/inbox/" + ask }`, ask)
		p.await(`ask => document.querySelector("article dl")?.innerText.includes(ask)`, ask)
		p.press(input.KeyX) // too soon
		p.settle()
		p.press(input.KeyX)
		p.has(fmt.Sprint(i+1, " selected"))
	}
	p.press(input.KeyA)
	p.has("Yes to 2", "edit a1", "edit a2")
	p.press(input.KeyY) // too soon
	require.Empty(t, f.answered())
	p.press(input.Escape)
	p.press(input.KeyR)
	p.await(`() => document.activeElement.tagName === "TEXTAREA"`)
	require.NoError(t, p.InsertText("not now"))
	p.press(input.Escape)
	p.press(input.KeyR)
	p.has("because not now")
	p.settle()
	p.press(input.KeyY)
	p.await(`() => document.querySelectorAll("nav .over").length === 2`)
	require.Equal(t, []events.AskAnswered{{Ask: "a1", Decision: events.No, Reason: "not now"},
		{Ask: "a2", Decision: events.No, Reason: "not now"}}, f.answered())
	for _, ask := range []string{"a3", "a4"} {
		p.choose(ask)
		p.press(input.KeyX)
	}
	p.press(input.KeyA)
	p.has("Yes to 2")
	p.settle()
	p.press(input.KeyY)
	p.await(`() => document.querySelectorAll("nav .over").length === 4`)
	require.Equal(t, events.AskAnswered{Ask: "a4", Decision: events.Yes}, f.answered()[3])
}

func answersBudgets(t *testing.T, b *rod.Browser) {
	f := open(t)
	f.approve()
	for _, ask := range []string{"a1", "a2"} {
		f.put(events.ActorApproval, events.AskRaised{Ask: ask, Gate: events.GateBudget, Title: "budget of the session",
			Args: json.RawMessage(`{"limit_dollars":1}`)})
	}
	p := consoleOf(t, b, f)
	p.await(`() => document.querySelectorAll("nav li").length === 2`)
	p.choose("a1")
	p.fill("New limit in dollars", "2.5")
	p.click("button", "Yes, up to this limit")
	p.has("The limit is $2.5.")
	p.choose("a2")
	p.click("button", "Stop at the budget")
	p.has("It stops at the budget.")
	require.Equal(t, []events.AskAnswered{{Ask: "a1", Decision: events.Yes, Args: json.RawMessage(`{"limit":2.5}`)},
		{Ask: "a2", Decision: events.Yes, Args: json.RawMessage(`{"action":"stop"}`)}}, f.answered())
}

func listsAnsweredAsks(t *testing.T, b *rod.Browser) {
	f := open(t)
	f.approve()
	f.raise("a1", events.GateTool)
	f.raise("a2", events.GateTool)
	require.Equal(t, http.StatusOK, f.post("/api/ask/respond", access.RightHuman,
		`{"request_id":"a1","response":{"approved":false,"reason":"use the old name"}}`).status)
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	p.press(input.KeyG, input.KeyS)
	p.awaitText("(current)")
	p.at("asks")
	var model struct {
		Asks []struct {
			Title   string
			Settled *struct{ By, Reason, Outcome string }
		}
	}
	require.NoError(t, json.Unmarshal(f.get("/api/asks?state=all", access.RightRead).body, &model))
	require.Len(t, model.Asks, 2)
	cells := p.names("cell", 16)
	require.Equal(t, model.Asks[1].Title, cells[1], "the newest is first")
	require.Equal(t, "⚑ open", cells[4])
	require.Equal(t, []string{model.Asks[0].Title, "⊘ no", model.Asks[0].Settled.By, "use the old name"},
		[]string{cells[9], cells[12], cells[13], cells[14]})
}

func notifiesOfAsks(t *testing.T, b *rod.Browser) {
	f := open(t)
	p := consoleOf(t, b, f)
	p.awaitText("● connected")
	p.run(`() => {
		window.told = []
		window.Notification = class { constructor(title, how) { told.push(title + ": " + how.body) } }
		Notification.requestPermission = async () => "granted"
		Notification.permission = "granted"
	}`)
	f.raise("a1", events.GateTool)
	p.await(`() => document.querySelectorAll("nav li").length === 1`)
	p.await(`() => told.length === 0`) // off by default
	p.click("button", "Notify me")
	p.has("Notifications are on")
	f.raise("a2", events.GateTool)
	p.await(`() => told.length === 1 && told[0].includes("edit_file")`)
	require.NoError(t, p.Reload())
	p.has("Notifications are on")
	p.click("button", "Notifications are on")
	p.has("Notify me")
}

// takesSides chooses a version of each file in conflict.
func takesSides(t *testing.T, b *rod.Browser) {
	f := open(t)
	f.approve()
	f.put(events.ActorApproval, events.AskRaised{Ask: "a1", Gate: events.GateMerge,
		Title: "the work of T-001 conflicts in a.go, <b>.png", Ticket: "T-001",
		Args: json.RawMessage(`{"path":"/w","branch":"b","files":["a.go","<b>.png"]}`)})
	p := consoleOf(t, b, f)
	p.await(`() => document.querySelectorAll("nav li").length === 1`)
	p.choose("a1")
	p.has("Yes, merge it now", "a.go", "<b>.png")
	p.run(`() => { const at = document.querySelector("[aria-label='Version of <b>.png']")
		at.value = "merged"; at.dispatchEvent(new Event("change", {bubbles: true})) }`)
	p.click("button", "Yes, with these versions")
	p.has("You chose the versions.")
	require.Len(t, f.answered(), 1)
	require.Equal(t, events.Yes, f.answered()[0].Decision)
	require.JSONEq(t, `{"take":{"<b>.png":"merged"}}`, string(f.answered()[0].Args))
}
