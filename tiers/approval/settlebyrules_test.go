package approval_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/policy/commands"
	"manualslop/tiers/approval"
	"manualslop/tiers/tierstest"
)

// ruled is the settlement of an ask by a rule that came as the n-th event.
func ruled(ask, outcome, reason string, n int) events.AskSettled {
	return events.AskSettled{Ask: ask, Gate: events.GateTool, Outcome: outcome, By: "rule", AnswerID: tierstest.ID(n),
		Reason: reason, At: tierstest.At(n)}
}

func TestARuleSettlesTheOpenAsksThatItCovers(t *testing.T) {
	t.Parallel()
	call := runsScript("go test ./...")
	id := askID(events.GateTool, 3)
	scoped := func(r events.Rule, scope string) events.RuleAdded { r.Scope = scope; return events.RuleAdded{Rule: r} }
	tests := allow("run_powershell", "go test *")
	yes := given(ruled(id, events.Yes, "test:allow", 4), approved(call, "rule", underRule("test:allow"), onAsk(id)))
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "for the session", Given: given(decidedBy(2), call), When: scoped(tests, events.RuleForSession), Then: yes},
		{Name: "for its ticket", Given: given(decidedBy(2), call), When: scoped(tests, events.RuleForTicket+"T-1"),
			Then: yes},
		{Name: "for another ticket", Given: given(decidedBy(2), call), When: scoped(tests, events.RuleForTicket+"T-2")},
		{Name: "rules of now, as after a resume", Given: given(decidedBy(2), call),
			When: events.RulesReplaced{Rules: []events.Rule{tests}}, Then: yes},
		{Name: "a deny is a no", Given: given(decidedBy(2), call), When: scoped(deny("run_powershell", "go *"), ""),
			Then: given(ruled(id, events.No, "a rule forbids it (test:deny)", 4),
				refused(call, "rule", id, "a rule forbids it (test:deny)"))},
		{Name: "a deny beats the new allow", Given: given(decidedBy(2, ask("run_powershell", "go *")), call),
			When: scoped(tests, "")},
		{Name: "another command", Given: given(decidedBy(2), call), When: scoped(allow("run_powershell", "go vet *"), "")},
		{Name: "a pattern edited to nothing", Given: given(decidedBy(2), call),
			When: scoped(allow("run_powershell", ""), "")},
		{Name: "an older decision leaves it to the person", Given: given(decidedBy(1), call),
			When: scoped(allow("run_powershell"), "")},
		{Name: "an older decision knows no rules of tickets", Given: given(decidedBy(1),
			scoped(allow("run_powershell"), events.RuleForTicket+"T-1")), When: call,
			Then: given(decided[events.AskRaised]())},
	})
}

func TestOfTwoPeopleWithRulesAtOnceTheDenyWins(t *testing.T) {
	t.Parallel()
	call := runsScript("go test ./...")
	next := call
	next.Call = "c2"
	id := askID(events.GateTool, 3)
	by := func(who string, r events.Rule) events.Payload {
		return tierstest.By(who, events.RuleAdded{Rule: named(r, who)})
	}
	adas, bobs := by("ada", allow("run_powershell", "go test *")), by("bob", deny("run_powershell", "go *"))
	yes := answer(id, events.Yes)
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "the first settles the open ask", Given: given(decidedBy(2), call, adas), When: bobs},
		{Name: "the next call is denied", Given: given(decidedBy(2), call, adas, bobs), When: next,
			Then: given(refused(next, "rule", "", "a rule forbids it (bob)"))},
		{Name: "in either order", Given: given(decidedBy(2), call, bobs, adas), When: next,
			Then: given(refused(next, "rule", "", "a rule forbids it (bob)"))},
		{Name: "a yes behind the deny does not count", Given: given(decidedBy(2), call, bobs), When: yes,
			Then: given(decided[events.AnswerRefused]())},
	})
}

// named is a rule with another source.
func named(r events.Rule, source string) events.Rule {
	r.Source = source
	return r
}

func TestARuleThatCameBeforeThePreviewCounts(t *testing.T) {
	t.Parallel()
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "allow", Given: given(decidedBy(2), edit, events.RuleAdded{Rule: allow("edit_file")}),
			When: events.PreviewBuilt{Call: "c1"}, Then: given(decided[events.ToolApproved]())},
		{Name: "deny", Given: given(decidedBy(2), edit, events.RuleAdded{Rule: deny("edit_file")}),
			When: events.PreviewBuilt{Call: "c1"}, Then: given(decided[events.ToolDenied]())},
		{Name: "an older decision asks", Given: given(decidedBy(1), edit, events.RuleAdded{Rule: allow("edit_file")}),
			When: events.PreviewBuilt{Call: "c1"}, Then: given(decided[events.AskRaised]())},
	})
}

func TestProposedRulesCoverTheirAsk(t *testing.T) {
	t.Parallel()
	opened := decidedBy(2)[0].(events.SessionOpened)
	for _, c := range []struct {
		call events.ToolRequested
		want []string
	}{
		{runsScript("go test ./... && ls"), []string{"go test *", "ls"}},
		{editOf("src/a/b.go"), []string{"src/a/**"}},
		{editOf("/w/src/b.go"), []string{"src/**"}},
		{editOf("a.go"), []string{"a.go"}},
		{wants("c1", "web_search", `{"query":"x"}`), nil},
	} {
		a := events.AskRaised{Ask: "ask-1", Gate: events.GateTool, Tool: c.call.Tool, Args: c.call.Args,
			Effect: effects()[c.call.Tool], Ticket: "T-1"}
		patterns, ok := approval.Propose(a, opened, nil)
		require.True(t, ok)
		require.Equal(t, c.want, patterns)
		rule, err := approval.RuleOf(a, opened, nil, nil, approval.ScopeTicket)
		require.NoError(t, err)
		require.Equal(t, events.Rule{Tool: a.Tool, Action: "allow", Args: c.want, Scope: "ticket T-1",
			Source: "yes to ask-1"}, rule)
		require.False(t, approval.Covers(a, opened, nil))
		require.True(t, approval.Covers(a, opened, []events.Rule{rule}))
		other := a
		other.Ticket = "T-2"
		require.False(t, approval.Covers(other, opened, []events.Rule{rule}))
		tainted := a
		tainted.Taint = []string{"web: x"}
		require.False(t, approval.Covers(tainted, opened, []events.Rule{rule}))
		_, ok = approval.Propose(tainted, opened, nil)
		require.False(t, ok)
		_, err = approval.RuleOf(tainted, opened, nil, nil, "")
		require.EqualError(t, err, "no rule can answer this question: the model has read untrusted text (web: x)")
		require.False(t, approval.Covers(a, opened, []events.Rule{rule, deny(a.Tool)}))
	}
	_, ok := approval.Propose(events.AskRaised{Gate: events.GateBudget}, opened, nil)
	require.False(t, ok)
	for why, unruled := range map[string]events.AskRaised{
		"only questions about calls of tools": {Gate: events.GateBudget},
		"a patch may name any file":           {Gate: events.GateTool, Tool: events.PatchTool},
		"longer than [shell] timeout_s": {Gate: events.GateTool, Tool: "run_powershell", Effect: "executes",
			Args: json.RawMessage(`{"script":"ls","timeout_s":9000}`)},
		"echo …: no pattern covers exactly this command": {Gate: events.GateTool, Tool: "run_powershell", Effect: "executes",
			Args: runsScript("ls; for i in 1 2; do echo $i; done").Args},
	} { // order-independent
		_, err := approval.RuleOf(unruled, opened, nil, nil, "")
		require.ErrorContains(t, err, "no rule can answer this question: ")
		require.ErrorContains(t, err, why)
	}
	a := events.AskRaised{Ask: "ask-1", Gate: events.GateTool, Tool: "run_powershell", Effect: "executes",
		Args: runsScript("go test ./...").Args}
	for _, c := range []struct{ why, scope, pattern string }{
		{"this rule does not settle the question", approval.ScopeConfig, "ls"},
		{"name of a program", approval.ScopeSession, "*"},
		{"for the ticket", approval.ScopeTicket, "go *"}, // the ask has none
		{"scope: must be", "file", "go *"},
	} {
		_, err := approval.RuleOf(a, opened, nil, []string{c.pattern}, c.scope)
		require.ErrorContains(t, err, c.why)
	}
}

func TestARuleOfAnAskHasValidPatterns(t *testing.T) {
	t.Parallel()
	opened := decidedBy(2)[0].(events.SessionOpened)
	a := events.AskRaised{Ask: "ask-1", Gate: events.GateTool, Tool: "edit_file", Effect: "writes",
		Args: json.RawMessage(`{"path":"a.go"}`)}
	most := slices.Repeat([]string{"a.go"}, approval.MaxPatterns)
	longest := strings.Repeat("x", commands.MaxPattern)
	for _, patterns := range [][]string{most, {"a.go", longest}} {
		_, err := approval.RuleOf(a, opened, nil, patterns, approval.ScopeConfig)
		require.NoError(t, err)
	}
	for why, patterns := range map[string][]string{
		"101 patterns; at most 100": append(most, "a.go"), "over the limit of 1000": {"a.go", longest + "x"},
		"empty": {"a.go", " "}, `got "["`: {"a.go", "["}, "got \"a\\n": {"a.go", "a\nb"}, "alternations": {"a.go", "{a,b}{a,b}{a,b}"},
	} {
		_, err := approval.RuleOf(a, opened, nil, patterns, approval.ScopeConfig)
		require.ErrorContains(t, err, why)
	}
}
