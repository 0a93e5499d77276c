package approval_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/approval"
	"manualslop/tiers/tierstest"
)

const howToAnswer = `. yes runs it again; yes with {"resolution":"done"} takes it as done; no takes it as failed`

// askedAgain is the question about an interrupted call, raised on the n-th event.
func askedAgain(n int, r events.ToolRequested, why string) events.AskRaised {
	return asked(n, r, "interrupted: run_powershell ls", func(a *events.AskRaised) {
		a.Ask, a.Gate, a.Note = askID(events.GateInterrupted, n), events.GateInterrupted, why+howToAnswer
	})
}

func resolved(r events.ToolRequested, resolution, by, reason string) events.InterruptResolved {
	return events.InterruptResolved{Call: r.Call, Tool: r.Tool, Ticket: r.Ticket, Resolution: resolution, By: by,
		Reason: reason}
}

// interruptedShell is a session in which the shell call ran under --yes and was
// interrupted by the fourth event; the ask about it is open.
var (
	interruptedShell = given(begin(rules(yesRule)), shell, ran(shell, events.ToolInterrupted, 1))
	interruptedAsk   = askID(events.GateInterrupted, 4)
)

func TestAnInterruptedCallAsksAlsoUnderYes(t *testing.T) {
	t.Parallel()
	running := given(begin(rules(yesRule)), shell)
	tierstest.Run(t, approval.Decider(), scenarios{
		{
			Name: "interrupted", Given: running, When: ran(shell, events.ToolInterrupted, 1),
			Then: given(askedAgain(4, shell, "its worker stopped in the middle of it; nobody knows how far it came, and what "+
				"it started may still run")),
		},
		{
			Name: "parked", Given: running, When: events.ToolParked{Call: "c1",
				Reason: "handed out 21 times without an outcome"},
			Then: given(askedAgain(4, shell, "handed out 21 times without an outcome")),
		},
		{
			Name: "parked with a long reason", Given: running, When: events.ToolParked{Call: "c1", Reason: strings.Repeat("x",
				approval.MaxNote+1)},
			Then: given(askedAgain(4, shell, strings.Repeat("x", approval.MaxNote)+"…")),
		},
		{Name: "interrupted twice", Given: interruptedShell, When: ran(shell, events.ToolInterrupted, 1)},
		{Name: "interrupted, then parked", Given: interruptedShell, When: events.ToolParked{Call: "c1"}},
		{Name: "parked, then interrupted", Given: given(running, events.ToolParked{Call: "c1"}),
			When: ran(shell, events.ToolInterrupted, 1)},
		{Name: "parked twice", Given: given(running, events.ToolParked{Call: "c1"}), When: events.ToolParked{Call: "c1"}},
		{Name: "done after it was parked", Given: given(running, events.ToolParked{Call: "c1"}),
			When: ran(shell, events.ToolDone, 1)},
		{Name: "parked after it was done", Given: given(running, ran(shell, events.ToolDone, 1)),
			When: events.ToolParked{Call: "c1"}},
		{Name: "interrupted after it was done", Given: given(running, ran(shell, events.ToolFailed, 1)),
			When: ran(shell, events.ToolInterrupted, 1)},
		{Name: "interrupted before it was approved", Given: given(begin(), shell), When: ran(shell, events.ToolInterrupted,
			1)},
		{Name: "parked before it was approved", Given: given(begin(), shell), When: events.ToolParked{Call: "c1"}},
		{Name: "interrupted though nobody asked for it", Given: begin(), When: ran(shell, events.ToolInterrupted, 1)},
		{Name: "parked though nobody asked for it", Given: begin(), When: events.ToolParked{Call: "c1"}},
	})
}

func TestAPersonResolvesAnInterruptedCall(t *testing.T) {
	t.Parallel()
	yes := settled("interrupted", interruptedAsk, "yes", 5)
	with := func(args string) events.AskSettled {
		return settled("interrupted", interruptedAsk, "yes", 5, settledWith(args))
	}
	second := approved(shell, "ada", onAsk(interruptedAsk), again(2))
	wrong := given(notCounted(interruptedAsk, 5, "ada", `args must be {"resolution": "retry"}, "done" or "fail"`))
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "yes runs it again as the next generation", Given: interruptedShell, When: answer(interruptedAsk, "yes"),
			Then: given(yes, resolved(shell, "retry", "ada", ""), second)},
		{
			Name: "retry", Given: interruptedShell, When: answer(interruptedAsk, "yes", editing(`{"resolution":"retry"}`)),
			Then: given(with(`{"resolution":"retry"}`), resolved(shell, "retry", "ada", ""), second),
		},
		{
			Name: "done", Given: interruptedShell, When: answer(interruptedAsk, "yes", editing(`{"resolution":"done"}`),
				because("I looked")),
			Then: given(settled("interrupted", interruptedAsk, "yes", 5, settledWith(`{"resolution":"done"}`),
				endedBy("ada", "I looked")), resolved(shell, "done", "ada", "I looked")),
		},
		{
			Name: "fail", Given: interruptedShell, When: answer(interruptedAsk, "yes", editing(`{"resolution":"fail"}`)),
			Then: given(with(`{"resolution":"fail"}`), resolved(shell, "fail", "ada", "")),
		},
		{
			Name: "no is fail", Given: interruptedShell, When: answer(interruptedAsk, "no", because("unsure")),
			Then: given(settled("interrupted", interruptedAsk, "no", 5, endedBy("ada", "unsure")), resolved(shell, "fail", "ada",
				"unsure")),
		},
		{Name: "another word does not count", Given: interruptedShell, When: answer(interruptedAsk, "yes",
			editing(`{"resolution":"perhaps"}`)), Then: wrong},
		{Name: "no word does not count", Given: interruptedShell, When: answer(interruptedAsk, "yes", editing(`{}`)),
			Then: wrong},
		{Name: "more words do not count", Given: interruptedShell, When: answer(interruptedAsk, "yes",
			editing(`{"resolution":"retry","script":"rm"}`)), Then: wrong},
		{
			Name: "a deny rule that came meanwhile makes a retry a fail", Given: given(interruptedShell,
				events.RuleAdded{Rule: deny("run_*")}), When: answer(interruptedAsk, "yes"),
			Then: given(settled("interrupted", interruptedAsk, "yes", 6), resolved(shell, "fail", "ada",
				"a rule forbids it (test:deny)")),
		},
		{
			Name: "but not a done", Given: given(interruptedShell, events.RuleAdded{Rule: deny("run_*")}),
			When: answer(interruptedAsk, "yes", editing(`{"resolution":"done"}`)),
			Then: given(settled("interrupted", interruptedAsk, "yes", 6, settledWith(`{"resolution":"done"}`)),
				resolved(shell, "done", "ada", "")),
		},
		{
			Name: "a parked call is resolved likewise", Given: given(begin(rules(yesRule)), shell, events.ToolParked{Call: "c1",
				Reason: "lost"}), When: answer(interruptedAsk, "yes"),
			Then: given(yes, resolved(shell, "retry", "ada", ""), second),
		},
		{Name: "what is resolved is not judged again", Given: given(interruptedShell, answer(interruptedAsk, "no")),
			When: ran(shell, events.ToolInterrupted, 1)},
	})
}

func TestOnlyTheCurrentGenerationCounts(t *testing.T) {
	t.Parallel()
	secondRun := given(interruptedShell, answer(interruptedAsk, "yes"))
	other := ran(shell, events.ToolInterrupted, 2)
	other.ArgsSHA256 = "ab"
	thirdAsk := askID(events.GateInterrupted, 6)
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "an older one", Given: secondRun, When: ran(shell, events.ToolInterrupted, 1)},
		{Name: "a later one", Given: secondRun, When: ran(shell, events.ToolInterrupted, 3)},
		{Name: "none", Given: secondRun, When: ran(shell, events.ToolInterrupted, 0)},
		{Name: "other bytes", Given: secondRun, When: other},
		{Name: "the current one", Given: secondRun, When: ran(shell, events.ToolInterrupted, 2),
			Then: given(decided[events.AskRaised]())},
		{
			Name: "and so on", Given: given(secondRun, ran(shell, events.ToolInterrupted, 2)), When: answer(thirdAsk, "yes"),
			Then: given(settled("interrupted", thirdAsk, "yes", 7), resolved(shell, "retry", "ada", ""), approved(shell, "ada",
				onAsk(thirdAsk), again(3))),
		},
		{Name: "an older outcome that ends nothing leaves the ask open", Given: given(interruptedShell,
			ran(shell, events.ToolDone, 1)), When: answer(interruptedAsk, "no"), Then: given(decided[events.AskSettled](),
			decided[events.InterruptResolved]())},
	})
}

func TestARetryOfEditedArgumentsKeepsThem(t *testing.T) {
	t.Parallel()
	edited := `{"script":"ls -l"}`
	r := shell
	r.Args = []byte(edited)
	h := tierstest.Play(t, approval.Decider(), given(begin(), shell, answer(shellAsk, "yes", editing(edited)),
		ran(r, events.ToolInterrupted, 1), answer(askID(events.GateInterrupted, 5), "yes"))...)
	all := tierstest.All[events.ToolApproved](h)
	require.Len(t, all, 2)
	require.Equal(t, all[0].ArgsSHA256, all[1].ArgsSHA256)
	require.JSONEq(t, edited, string(all[1].Args))
	require.True(t, all[1].Edited)
	require.Equal(t, 2, all[1].Generation)
	shown := tierstest.All[events.AskRaised](h)[1]
	require.JSONEq(t, edited, string(shown.Args), "the person sees what ran")
}
