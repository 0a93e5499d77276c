package approval_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/approval"
	"manualslop/tiers/tierstest"
)

// change is what a preview says a call would do.
var change = []events.FileChange{{Path: "a.go", Before: "ab", After: "cd"}}

func showing(a *events.ToolApproved) { a.Changes = change }

func TestAYesCoversTheChangesThatWereShown(t *testing.T) {
	t.Parallel()
	id := askID(events.GateTool, firstFree+1)
	open := given(begin(), edit, events.PreviewBuilt{Call: "c1", Changes: change})
	tierstest.Run(t, approval.Decider(), scenarios{
		{
			Name: "as shown", Given: open, When: answer(id, events.Yes),
			Then: given(settled(events.GateTool, id, events.Yes, firstFree+2), approved(edit, tierstest.Person, onAsk(id),
				showing)),
		},
		{
			Name: "edited arguments were not shown", Given: open, When: answer(id, events.Yes, editing(`{"path":"b.go"}`)),
			Then: given(settled(events.GateTool, id, events.Yes, firstFree+2, settledWith(`{"path":"b.go"}`)),
				approved(edit, tierstest.Person, onAsk(id), withArgs(`{"path":"b.go"}`, true))),
		},
		{
			Name: "a rule shows nothing", Given: begin(rules(allow("edit_file"))), When: edit,
			Then: given(approved(edit, "rule", underRule("test:allow"))),
		},
	})
}

func TestRulesOfNowStandInThePlaceOfEarlierOnes(t *testing.T) {
	t.Parallel()
	replaced := func(r ...events.Rule) events.RulesReplaced { return events.RulesReplaced{Rules: r} }
	tierstest.Run(t, approval.Decider(), scenarios{
		{
			Name: "an allow rule that is gone allows nothing", Given: given(begin(rules(allow("*"))), replaced()), When: shell,
			Then: given(decided[events.AskRaised]()),
		},
		{
			Name: "an earlier --yes is gone", Given: given(begin(), events.RuleAdded{Rule: yesRule}, replaced()), When: shell,
			Then: given(decided[events.AskRaised]()),
		},
		{
			Name: "a new deny rule holds", Given: given(begin(), replaced(deny("run_powershell"))), When: shell,
			Then: given(deniedSaying("test:deny")),
		},
		{
			Name:  "a new deny rule holds against a yes to what was asked before it",
			Given: given(begin(), shell, replaced(deny("run_powershell"))), When: answer(askID(events.GateTool, firstFree),
				events.Yes),
			Then: given(decided[events.AskSettled](), deniedSaying("test:deny")),
		},
	})
}

func TestWhereLinksAreFollowedAPathIsNoProof(t *testing.T) {
	t.Parallel()
	links := func(s *events.Settings) { s.FollowLinks = true }
	tierstest.Run(t, approval.Decider(), scenarios{
		{
			Name: "an allow rule with globs allows nothing", Given: begin(links, rules(allow("*", "src/**"))),
			When: editOf("src/a.go"),
			Then: given(decided[events.PreviewRequested]()),
		},
		{
			Name: "a deny rule with globs asks about other paths", Given: begin(links, rules(yesRule, deny("*", "secret/**"))),
			When: readOf("src/a.go"),
			Then: given(decided[events.AskRaised]()),
		},
		{
			Name: "and denies its own", Given: begin(links, rules(yesRule, deny("*", "secret/**"))), When: readOf("secret/a"),
			Then: given(deniedSaying("test:deny")),
		},
	})
}

func TestMisfitsAreToldInOneOrder(t *testing.T) {
	t.Parallel()
	bad := wants("c1", "edit_file", `{"i":1,"h":1,"g":1,"f":1,"e":1,"d":1,"c":1,"b":1,"a":1,"content":7}`)
	want := "the arguments of edit_file do not fit: missing path; content must be of the type string; unknown a, b, c, " +
		"d, e, f, g, h, i; there are content, path"
	for i := range 20 {
		tierstest.Run(t, approval.Decider(), scenarios{{
			Name: fmt.Sprint(i), Given: begin(), When: bad,
			Then: given(tierstest.Check(func(t testing.TB, p events.ToolDenied) { require.Equal(t, want, p.Reason) })),
		}})
	}
}
