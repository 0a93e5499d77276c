package approval_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/approval"
	"manualslop/tiers/tierstest"
)

// timed is a session in which a script has 7 s, and may ask for up to 20, that approval judges under a decision number.
func timed(number int, rules ...events.Rule) []events.Payload {
	out := decidedBy(number, rules...)
	opened := out[0].(events.SessionOpened)
	opened.Settings.MaxToolTimeoutMS = 20_000
	out[0] = opened
	return out
}

// runsFor is a call of the shell that names a time limit.
func runsFor(seconds string) events.ToolRequested {
	return wants("c1", "run_powershell", fmt.Sprintf(`{"script":"ls","timeout_s":%s}`, seconds))
}

func lasting(ms int64) func(*events.ToolApproved) {
	return func(a *events.ToolApproved) { a.TimeoutMS = ms }
}

func TestACallMayNameItsTimeLimit(t *testing.T) {
	t.Parallel()
	all := allow("run_powershell", "ls")
	byRule := func(r events.ToolRequested, ms int64) []events.Payload {
		return given(approved(r, "rule", underRule("test:allow"), lasting(ms)))
	}
	noted := func(note string) []events.Payload {
		return given(tierstest.Check(func(t testing.TB, p events.AskRaised) {
			t.Helper()
			require.Equal(t, note, p.Note)
			require.Empty(t, p.Taint)
		}))
	}
	over := deniedSaying("the arguments of run_powershell do not fit: timeout_s is ", ", over the limit of 20 s",
		"[shell] max_timeout_s")
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "none", Given: timed(2, all), When: runsScript("ls"), Then: byRule(runsScript("ls"), 7000)},
		{Name: "less than the usual", Given: timed(2, all), When: runsFor("1"), Then: byRule(runsFor("1"), 1000)},
		{Name: "the usual", Given: timed(2, all), When: runsFor("7"), Then: byRule(runsFor("7"), 7000)},
		{Name: "more than the usual asks, whatever rules allow", Given: timed(2, all, yesRule), When: runsFor("8"),
			Then: noted("it may run for 8 s, longer than [shell] timeout_s (7 s)")},
		{Name: "a deny wins", Given: timed(2, deny("run_powershell", "ls")), When: runsFor("8"),
			Then: given(deniedSaying("a rule forbids it"))},
		{Name: "a yes gives it", Given: given(timed(2, all), runsFor("20")),
			When: answer(askID(events.GateTool, 3), events.Yes),
			Then: given(settled(events.GateTool, askID(events.GateTool, 3), events.Yes, 4),
				approved(runsFor("20"), tierstest.Person, onAsk(askID(events.GateTool, 3)), lasting(20_000)))},
		{Name: "more than the most", Given: timed(2, all), When: runsFor("21"), Then: given(over)},
		{Name: "beyond numbers", Given: timed(2, all), When: runsFor("1e300"), Then: given(over)},
		{Name: "part of a second", Given: timed(2, all), When: runsFor("1.5"), Then: given(deniedSaying("timeout_s"))},
		{Name: "nothing", Given: timed(2, all), When: runsFor("0"), Then: given(deniedSaying("timeout_s"))},
		{Name: "without a most, the usual is it", Given: decidedBy(2, all), When: runsFor("8"),
			Then: given(deniedSaying("timeout_s is 8, over the limit of 7 s"))},
		{Name: "an edit may name one", Given: given(timed(2), runsScript("ls")),
			When: answer(askID(events.GateTool, 3), events.Yes, editing(string(runsFor("20").Args))),
			Then: given(settled(events.GateTool, askID(events.GateTool, 3), events.Yes, 4,
				settledWith(string(runsFor("20").Args))), approved(runsFor("20"), tierstest.Person,
				onAsk(askID(events.GateTool, 3)), lasting(20_000), withArgs(string(runsFor("20").Args), true)))},
		{Name: "but none over the most", Given: given(timed(2), runsScript("ls")),
			When: answer(askID(events.GateTool, 3), events.Yes, editing(string(runsFor("21").Args))),
			Then: given(notCounted(askID(events.GateTool, 3), 4, tierstest.Person, "the edited arguments do not fit: "+
				"timeout_s is 21, over the limit of 20 s ([shell] max_timeout_s)"))},
		{Name: "a later rule does not settle the question", Given: given(timed(2), runsFor("8")),
			When: events.RuleAdded{Rule: all}},
		{Name: "older decisions know no such argument", Given: timed(1, allow("run_powershell")), When: runsFor("21"),
			Then: given(approved(runsFor("21"), "rule", underRule("test:allow"), lasting(7000)))},
	})
}

func TestNoRuleIsMadeOfACallThatTakesLonger(t *testing.T) {
	t.Parallel()
	opened := timed(2)[0].(events.SessionOpened)
	for seconds, possible := range map[string]bool{"7": true, "8": false} {
		a := events.AskRaised{Ask: "ask-1", Gate: events.GateTool, Tool: "run_powershell", Effect: "executes",
			Args: runsFor(seconds).Args}
		_, ok := approval.Propose(a, opened, nil)
		require.Equal(t, possible, ok)
		require.Equal(t, possible, approval.Covers(a, opened, []events.Rule{yesRule}))
	}
}
