package approval_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/tierstest"
)

type scenarios = []tierstest.Scenario

// toolTimeout is the settings' timeout of a tool call in these tests.
const toolTimeout = 7000

// firstFree is the number of the first event after begin.
const firstFree = 3

// begin is a session in /w with the tools of these tests.
func begin(change ...func(*events.Settings)) []events.Payload {
	s := events.Settings{ToolTimeoutMS: toolTimeout, AskTimeoutMS: 30_000}
	for _, c := range change {
		c(&s)
	}
	return given(events.SessionOpened{Workspace: "/w", Settings: s}, offers())
}

func rules(r ...events.Rule) func(*events.Settings) { return func(s *events.Settings) { s.Rules = r } }

func gateTimeout(ms int64) func(*events.Settings) {
	return func(s *events.Settings) { s.GateTimeoutMS = ms }
}

func spawnApproval(s *events.Settings) { s.SpawnApproval = true }

// allow, deny and ask are rules over a tool, with globs over its paths.
func allow(tool string, globs ...string) events.Rule { return rule("allow", tool, globs) }
func deny(tool string, globs ...string) events.Rule  { return rule("deny", tool, globs) }
func ask(tool string, globs ...string) events.Rule   { return rule("ask", tool, globs) }

func rule(action, tool string, globs []string) events.Rule {
	return events.Rule{Tool: tool, Action: action, Args: globs, Source: "test:" + action}
}

// yesRule is what --yes publishes.
var yesRule = events.Rule{Tool: "*", Action: "allow", Scope: "session", Source: "--yes"}

func effects() map[string]string {
	return map[string]string{
		"read_file": "reads", "web_search": "network", "look_up": "reads|network", "edit_file": "writes",
		"move_file":      "writes",
		"run_powershell": "executes", "script_file": "executes", "save_and_run": "writes|executes",
		"fetch_and_save": "network|writes",
		"odd":            "teleports", "half_odd": "reads|teleports", "none": "", "broken": "reads",
		"mcp__fs__write": "writes", "anything": "teleports", "find_text": "reads|wide", "rename_symbol": "writes|wide",
	}
}

const pathSchema = `{"type":"object","properties":{"path":{"type":"string"},"content":{"type":"string"}},"required":["path"],"additionalProperties":false}`

func offers() events.ToolsOffered {
	schemas := map[string]string{
		"read_file": pathSchema, "edit_file": pathSchema, "script_file": pathSchema, "find_text": pathSchema,
		"rename_symbol": pathSchema, "broken": `{"$ref":"other:schema"}`, "anything": `true`,
		"run_powershell": `{"type":"object","properties":{"script":{"type":"string"},"timeout_s":{"type":"integer","minimum":1}},"required":["script"],"additionalProperties":false}`,
	}
	var out events.ToolsOffered
	for _, name := range strings.Fields("read_file web_search look_up edit_file move_file run_powershell script_file " +
		"save_and_run fetch_and_save odd half_odd none broken mcp__fs__write anything find_text rename_symbol") {
		schema := schemas[name]
		if schema == "" {
			schema = `{"type":"object"}`
		}
		out.Tools = append(out.Tools, events.ToolOffer{Name: name, Effect: effects()[name], Schema: json.RawMessage(schema)})
	}
	return out
}

// given joins single payloads and lists.
func given(parts ...any) []events.Payload { return tierstest.Join(parts...) }

// wants is a call of the first attempt at T-1.
func wants(call, tool, args string) events.ToolRequested {
	return events.ToolRequested{Call: call, Tool: tool, Args: json.RawMessage(args), Ticket: "T-1", Attempt: 1, Round: 1}
}

// shell and edit are the calls most tests make.
var (
	shell = wants("c1", "run_powershell", `{"script":"ls"}`)
	edit  = wants("c1", "edit_file", `{"path":"a.go"}`)
)

func digest(args json.RawMessage) string {
	d, err := events.CanonicalDigest(args)
	if err != nil {
		panic(err)
	}
	return d
}

// approved is the approval of a call as requested, on the given grounds.
func approved(r events.ToolRequested, by string, change ...func(*events.ToolApproved)) events.ToolApproved {
	a := events.ToolApproved{Call: r.Call, Tool: r.Tool, Args: r.Args, ArgsSHA256: digest(r.Args),
		Effect: effects()[r.Tool],
		Ticket: r.Ticket, Attempt: r.Attempt, Generation: 1, By: by, TimeoutMS: toolTimeout}
	for _, c := range change {
		c(&a)
	}
	return a
}

func underRule(name string) func(*events.ToolApproved) {
	return func(a *events.ToolApproved) { a.Rule = name }
}

func onAsk(id string) func(*events.ToolApproved) { return func(a *events.ToolApproved) { a.Ask = id } }

func again(generation int) func(*events.ToolApproved) {
	return func(a *events.ToolApproved) { a.Generation = generation }
}

func withArgs(args string, edited bool) func(*events.ToolApproved) {
	return func(a *events.ToolApproved) {
		a.Args, a.ArgsSHA256, a.Edited = json.RawMessage(args), digest(json.RawMessage(args)), edited
	}
}

func refused(r events.ToolRequested, by, ask, reason string) events.ToolDenied {
	return events.ToolDenied{Call: r.Call, Tool: r.Tool, Ticket: r.Ticket, Reason: reason, By: by, Ask: ask,
		Invalid: strings.HasPrefix(reason, "unknown tool")}
}

func wantsPreview(r events.ToolRequested) events.PreviewRequested {
	return events.PreviewRequested{Call: r.Call, Tool: r.Tool, Args: r.Args, Ticket: r.Ticket}
}

// asked is the question about a call, raised on the n-th event.
func asked(n int, r events.ToolRequested, title string, change ...func(*events.AskRaised)) events.AskRaised {
	a := events.AskRaised{Ask: askID(events.GateTool, n), Gate: events.GateTool, Title: title, Ticket: r.Ticket,
		Call: r.Call, Tool: r.Tool,
		Args: r.Args, ArgsSHA256: digest(r.Args), Effect: effects()[r.Tool], Attempt: r.Attempt, Round: r.Round}
	for _, c := range change {
		c(&a)
	}
	return a
}

// askID is the id of the ask that is raised on the n-th event.
func askID(gate string, n int) string { return tierstest.FactID("ask-"+gate, n, 0) }

// answer is what ada says about an ask.
func answer(ask, decision string, change ...func(*events.AskAnswered)) events.Payload {
	a := events.AskAnswered{Ask: ask, Decision: decision}
	for _, c := range change {
		c(&a)
	}
	return a
}

func because(reason string) func(*events.AskAnswered) {
	return func(a *events.AskAnswered) { a.Reason = reason }
}

func editing(args string) func(*events.AskAnswered) {
	return func(a *events.AskAnswered) { a.Args = json.RawMessage(args) }
}

func responding(response string) func(*events.AskAnswered) {
	return func(a *events.AskAnswered) { a.Response = json.RawMessage(response) }
}

// settled is the end of an ask by ada's answer, the n-th event.
func settled(gate, ask, outcome string, n int, change ...func(*events.AskSettled)) events.AskSettled {
	s := events.AskSettled{Ask: ask, Gate: gate, Outcome: outcome, By: tierstest.Person, AnswerID: tierstest.ID(n),
		At: tierstest.At(n)}
	for _, c := range change {
		c(&s)
	}
	return s
}

func endedBy(who, reason string) func(*events.AskSettled) {
	return func(s *events.AskSettled) { s.By, s.Reason = who, reason }
}

func settledWith(args string) func(*events.AskSettled) {
	return func(s *events.AskSettled) { s.Args = json.RawMessage(args) }
}

// notCounted is the refusal of the n-th event as an answer.
func notCounted(ask string, n int, author, reason string) events.AnswerRefused {
	return events.AnswerRefused{Ask: ask, AnswerID: tierstest.ID(n), Author: author, Reason: reason}
}

// ran is the outcome of a call as it was approved.
func ran(r events.ToolRequested, outcome string, generation int) events.ToolSettled {
	return events.ToolSettled{Call: r.Call, Tool: r.Tool, Outcome: outcome, Generation: generation,
		ArgsSHA256: digest(r.Args)}
}

// decided checks that a fact of P's type was decided and nothing more about it.
func decided[P events.Payload]() events.Payload { return tierstest.Decided[P]() }

// deniedSaying checks only that a call was denied with words in its reason.
func deniedSaying(words ...string) events.Payload {
	return tierstest.Check(func(t testing.TB, p events.ToolDenied) {
		t.Helper()
		for _, w := range words {
			require.Contains(t, p.Reason, w)
		}
	})
}
