package approval_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/approval"
	"manualslop/tiers/tierstest"
)

func TestEffectsDecideWhereNoRuleSpeaks(t *testing.T) {
	t.Parallel()
	read := wants("c1", "read_file", `{"path":"a.go"}`)
	var table scenarios
	for _, tool := range []string{"web_search", "look_up"} {
		r := wants("c1", tool, `{}`)
		table = append(table, tierstest.Scenario{Name: tool + " runs", Given: begin(), When: r,
			Then: given(approved(r, "rule", underRule("reads run")))})
	}
	for _, tool := range []string{"odd", "half_odd", "none"} {
		r := wants("c1", tool, `{}`)
		table = append(table, tierstest.Scenario{Name: tool + " asks", Given: begin(), When: r,
			Then: given(asked(firstFree, r, tool))})
	}
	for _, tool := range []string{"move_file", "save_and_run", "fetch_and_save"} {
		r := wants("c1", tool, `{}`)
		table = append(table, tierstest.Scenario{Name: tool + " previews", Given: begin(), When: r,
			Then: given(wantsPreview(r))})
	}
	tierstest.Run(t, approval.Decider(), append(table,
		tierstest.Scenario{Name: "a read runs", Given: begin(), When: read,
			Then: given(approved(read, "rule", underRule("reads run")))},
		tierstest.Scenario{Name: "a write asks for its preview", Given: begin(), When: edit, Then: given(wantsPreview(edit))},
		tierstest.Scenario{Name: "a shell asks at once", Given: begin(), When: shell,
			Then: given(asked(firstFree, shell, "run_powershell ls"))},
	))
}

func TestAnApprovalHandsTheKnownFilesOn(t *testing.T) {
	t.Parallel()
	read := wants("c1", "read_file", `{"path":"a.go"}`)
	read.Known = []events.FileState{{Path: "b.go", SHA256: "ab", Size: 1}}
	tierstest.Run(t, approval.Decider(), scenarios{{Name: "a read", Given: begin(), When: read,
		Then: given(tierstest.Check(func(t testing.TB, p events.ToolApproved) { require.Equal(t, read.Known, p.Known) }))}})
}

func TestTheCheckOfATicketAsksNobody(t *testing.T) {
	t.Parallel()
	check := wants("c1", "run_powershell", `{"script":"go test ./a"}`)
	check.Check = true
	rule := func(action string) events.Payload {
		return events.RuleAdded{Rule: events.Rule{Tool: "run_powershell", Action: action, Source: "test"}}
	}
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "no rule", Given: begin(), When: check, Then: given(refused(check, "engine", "", "no rule lets it run, and "+
			"a ticket's check asks nobody"))},
		{Name: "a rule that asks", Given: given(begin(), rule("ask")), When: check,
			Then: given(refused(check, "engine", "", "no rule lets it run, and a ticket's check asks nobody"))},
		{Name: "a rule that allows", Given: given(begin(), rule("allow")), When: check,
			Then: given(tierstest.Decided[events.ToolApproved]())},
		{Name: "a rule that denies", Given: given(begin(), rule("deny")), When: check, Then: given(deniedSaying("forbid"))},
	})
}

func TestWhatCannotRunIsDenied(t *testing.T) {
	t.Parallel()
	odd := func(args string) events.Payload { return wants("c1", "read_file", args) }
	tierstest.Run(t, approval.Decider(), scenarios{
		{
			Name: "an unknown tool, with the names of those there are", Given: begin(), When: wants("c1", "rm_rf", `{}`),
			Then: given(refused(wants("c1", "rm_rf", `{}`), "engine", "", "unknown tool rm_rf; there are anything, broken, "+
				"edit_file, fetch_and_save, find_text, half_odd, look_up, "+
				"mcp__fs__write, move_file, none, odd, read_file, rename_symbol, run_powershell, save_and_run, script_file, "+
				"web_search")),
		},
		{
			Name: "any tool before tools were offered", Given: given(events.SessionOpened{}), When: odd(`{"path":"a"}`),
			Then: given(deniedSaying("unknown tool read_file")),
		},
		{
			Name: "a tool that is offered no more", Given: given(begin(), events.ToolsOffered{}), When: odd(`{"path":"a"}`),
			Then: given(deniedSaying("unknown tool read_file")),
		},
		{
			Name: "the name of an unknown tool is cut and printable", Given: begin(),
			When: wants("c1", "\x1b[2J"+strings.Repeat("x", 10_000), `{}`),
			Then: given(tierstest.Check(func(t testing.TB, p events.ToolDenied) {
				require.NotContains(t, p.Reason, "\x1b")
				require.Less(t, len(p.Reason), 500)
			})),
		},
		{Name: "a missing argument", Given: begin(), When: odd(`{}`), Then: given(deniedSaying("the arguments of read_file "+
			"do not fit", "path"))},
		{Name: "an argument of another type", Given: begin(), When: odd(`{"path":1}`),
			Then: given(deniedSaying("do not fit"))},
		{Name: "an argument that the tool does not know", Given: begin(), When: odd(`{"path":"a","PATH":"b"}`),
			Then: given(deniedSaying("do not fit"))},
		{Name: "no object", Given: begin(), When: odd(`["a"]`), Then: given(deniedSaying("do not fit"))},
		{Name: "null", Given: begin(), When: odd(`null`), Then: given(deniedSaying("do not fit"))},
		{Name: "an argument given twice", Given: begin(), When: odd(`{"path":"a","path":"b"}`),
			Then: given(deniedSaying("no canonical form"))},
		{Name: "half a surrogate pair", Given: begin(), When: odd(`{"path":"\ud800"}`),
			Then: given(deniedSaying("no canonical form"))},
		{Name: "a number that no machine can hold", Given: begin(), When: wants("c1", "look_up", `{"n":1e400}`),
			Then: given(deniedSaying("do not fit", "out of range"))},
		{
			Name: "a tool whose schema is broken, even to read", Given: begin(rules(allow("*"))), When: wants("c1", "broken",
				`{}`),
			Then: given(deniedSaying("the schema of the tool cannot be used: a reference does not name a part of the schema " +
				"itself")),
		},
		{
			Name: "a tool whose schema refers to itself", Given: given(events.SessionOpened{}, offering(`{"$ref":"#"}`)),
			When: wants("c1", "x", `{}`),
			Then: given(deniedSaying("the schema of the tool cannot be used: it refers to itself")),
		},
		{
			Name: "an argument whose schema is a definition", Given: given(events.SessionOpened{}, offering(`{"type":"object",
				"properties":{"n":{"$ref":"#/$defs/n"},"m":{"type":"string"}},"$defs":{"n":{"type":"integer"}}}`)),
			When: wants("c1", "x", `{"n":1,"m":2}`), Then: given(deniedSaying("do not fit: m must be of the type string")),
		},
		{
			Name: "an argument that does not match its definition", Given: given(events.SessionOpened{}, offering(`{"type":"object",
				"properties":{"n":{"$ref":"#/$defs/n"}},"$defs":{"n":{"type":"integer"}}}`)),
			When: wants("c1", "x", `{"n":"1"}`), Then: given(deniedSaying("do not fit: n does not match its schema")),
		},
		{
			Name: "a tool without a schema", Given: given(events.SessionOpened{},
				events.ToolsOffered{Tools: []events.ToolOffer{{Name: "x", Effect: "reads"}}}),
			When: wants("c1", "x", `{}`), Then: given(deniedSaying("do not fit")),
		},
		{
			Name: "a tool whose schema is no schema", Given: given(events.SessionOpened{}, offering(`7`)),
			When: wants("c1", "x", `{}`), Then: given(deniedSaying("the schema of the tool cannot be used: it is not a JSON " +
				"Schema")),
		},
	})
}

func TestArgumentsUpToTheLimitRun(t *testing.T) {
	t.Parallel()
	exact := wants("c1", "look_up", argsOf(events.MaxArgs))
	over := wants("c1", "look_up", argsOf(events.MaxArgs+1))
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "at the limit", Given: begin(), When: exact, Then: given(approved(exact, "rule", underRule("reads run")))},
		{Name: "one byte over", Given: begin(), When: over, Then: given(deniedSaying("131073 bytes are over the limit of " +
			"131072"))},
	})
}

// offering offers one tool that reads, x, with a schema.
func offering(schema string) events.ToolsOffered {
	return events.ToolsOffered{Tools: []events.ToolOffer{{Name: "x", Effect: "reads", Schema: json.RawMessage(schema)}}}
}

// argsOf are arguments of exactly n bytes.
func argsOf(n int) string {
	const frame = len(`{"x":""}`)
	return `{"x":"` + strings.Repeat("y", n-frame) + `"}`
}

func TestACallIsJudgedOnce(t *testing.T) {
	t.Parallel()
	read := wants("c1", "read_file", `{"path":"a.go"}`)
	other := wants("c1", "read_file", `{"path":"b.go"}`)
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "while it is asked about", Given: given(begin(), shell), When: shell},
		{Name: "while its preview is made", Given: given(begin(), edit), When: edit},
		{Name: "while it runs", Given: given(begin(), read), When: other},
		{Name: "when it has run", Given: given(begin(), read, ran(read, events.ToolDone, 1)), When: other},
		{Name: "when it was denied", Given: given(begin(), wants("c1", "rm", `{}`)), When: read},
	})
}

func TestPreviewBecomesAQuestion(t *testing.T) {
	t.Parallel()
	diff := "--- a/a.go\n+++ b/a.go\n-a\n+b\n"
	blob := &events.BlobRef{SHA256: "ab", Size: 1 << 20}
	tierstest.Run(t, approval.Decider(), scenarios{
		{
			Name: "with the diff", Given: given(begin(), edit), When: events.PreviewBuilt{Call: "c1", Diff: diff},
			Then: given(asked(firstFree+1, edit, "edit_file a.go", func(a *events.AskRaised) { a.Diff = diff })),
		},
		{
			Name: "with the head of a long diff and its blob", Given: given(begin(), edit), When: events.PreviewBuilt{Call: "c1",
				Diff: "-a", DiffBlob: blob},
			Then: given(asked(firstFree+1, edit, "edit_file a.go", func(a *events.AskRaised) {
				a.Diff, a.DiffBlob = "-a",
					blob
			})),
		},
		{
			Name: "with the preview's error as its note", Given: given(begin(), edit), When: events.PreviewBuilt{Call: "c1",
				Error: "no such file"},
			Then: given(asked(firstFree+1, edit, "edit_file a.go", func(a *events.AskRaised) {
				a.Note = "the preview failed: " +
					"no such file"
			})),
		},
		{
			Name: "with the rule that wants it and the error", Given: given(begin(rules(ask("edit_file"), allow("*"))), edit),
			When: events.PreviewBuilt{Call: "c1", Error: "no such file"},
			Then: given(asked(firstFree+1, edit, "edit_file a.go", func(a *events.AskRaised) {
				a.Note = "a rule wants a person to look (test:ask); the preview failed: no such file"
			})),
		},
		{
			Name: "also when the preview was given up", Given: given(begin(), edit), When: events.ToolParked{Call: "c1",
				Reason: "handed out 21 times"},
			Then: given(asked(firstFree+1, edit, "edit_file a.go", func(a *events.AskRaised) {
				a.Note = "the preview failed: " +
					"handed out 21 times"
			})),
		},
		{
			Name: "not if it would fail: the model learns why", Given: given(decidedBy(2, ask("edit_file")), edit),
			When: events.PreviewBuilt{Call: "c1", Error: "no such file"},
			Then: given(events.ToolDenied{Call: "c1", Tool: "edit_file", Ticket: edit.Ticket, By: "engine", Invalid: true,
				Reason: "the call would fail: no such file"}),
		},
		{
			Name: "but if nobody could tell", Given: given(decidedBy(2), edit),
			When: events.PreviewBuilt{Call: "c1", Error: "started 3 times without an outcome", GivenUp: true},
			Then: given(asked(firstFree+1, edit, "edit_file a.go", func(a *events.AskRaised) {
				a.Note = "the preview failed: started 3 times without an outcome"
			})),
		},
		{
			Name: "and if the queue gave up", Given: given(decidedBy(2), edit),
			When: events.ToolParked{Call: "c1", Reason: "handed out 21 times"},
			Then: given(asked(firstFree+1, edit, "edit_file a.go", func(a *events.AskRaised) {
				a.Note = "the preview failed: handed out 21 times"
			})),
		},
		{
			Name: "not if a forbidden path shows itself", Given: given(decidedBy(2), edit),
			When: events.PreviewBuilt{Call: "c1", Error: "ACCESS DENIED", Denied: true},
			Then: given(decided[events.ToolDenied]()),
		},
		{
			Name: "of an older decision also if it would fail", Given: given(decidedBy(1), edit),
			When: events.PreviewBuilt{Call: "c1", Error: "no such file"}, Then: given(decided[events.AskRaised]()),
		},
		{Name: "once", Given: given(begin(), edit, events.PreviewBuilt{Call: "c1", Diff: "-a"}), When: events.PreviewBuilt{
			Call: "c1", Diff: "-b"}},
		{
			Name: "once, also when it is settled", Given: given(begin(), edit, events.PreviewBuilt{Call: "c1"},
				answer(askID("tool", firstFree+1), "no")),
			When: events.PreviewBuilt{Call: "c1", Diff: "-b"},
		},
		{Name: "not of a call that nobody made", Given: begin(), When: events.PreviewBuilt{Call: "c1"}},
		{Name: "not of a call that was asked about without one", Given: given(begin(), shell), When: events.PreviewBuilt{
			Call: "c1", Diff: "-b"}},
		{Name: "not of a call that runs", Given: given(begin(), wants("c1", "read_file", `{"path":"a"}`)),
			When: events.PreviewBuilt{Call: "c1"}},
		{Name: "not of a call that was denied", Given: given(begin(), wants("c1", "rm", `{}`)), When: events.PreviewBuilt{
			Call: "c1"}},
	})
}

func TestTitleIsOnePrintableLine(t *testing.T) {
	t.Parallel()
	titled := func(r events.ToolRequested, want string) tierstest.Scenario {
		return tierstest.Scenario{Name: want, Given: begin(), When: r,
			Then: given(tierstest.Check(func(t testing.TB, p events.AskRaised) {
				require.Equal(t, want, p.Title)
			}))}
	}
	tierstest.Run(t, approval.Decider(), scenarios{
		titled(wants("c1", "run_powershell", `{"script":"\n  ls -l\nrm x"}`), "run_powershell ls -l"),
		titled(wants("c1", "run_powershell", `{"script":"a\u001b[2Jb\u202ec"}`), "run_powershell a [2Jb c"),
		titled(wants("c1", "odd", `{"path":"a\nb"}`), "odd a b"),
		titled(wants("c1", "odd", `{"path":7}`), "odd"),
		titled(wants("c1", "odd", `{}`), "odd"),
		titled(wants("c1", "odd", `{"path":"`+strings.Repeat("é", approval.MaxTitle-len("odd "))+`"}`),
			"odd "+strings.Repeat("é", approval.MaxTitle-len("odd "))),
		titled(wants("c1", "odd", `{"path":"`+strings.Repeat("é", approval.MaxTitle-len("odd ")+1)+`"}`),
			"odd "+strings.Repeat("é", approval.MaxTitle-len("odd ")-1)+"…"),
	})
}
