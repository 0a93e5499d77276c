package approval_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/approval"
	"manualslop/tiers/tierstest"
)

// busy is a session with an ask of each kind for ticket, whose call ids begin
// with it; a preview is under way and a call runs.
func busy(ticket string, attempt int) []events.Payload {
	of := func(call, tool, args string) events.ToolRequested {
		r := wants(ticket+call, tool, args)
		r.Ticket, r.Attempt = ticket, attempt
		return r
	}
	lost := of("-lost", "look_up", `{}`)
	return given(
		events.SpawnRequested{Ticket: ticket, Attempt: attempt, Model: "m", Prompt: "p"},
		events.StepRequested{Ticket: ticket, Attempt: attempt, Round: 1, Summary: "s"},
		of("-shell", "run_powershell", `{"script":"ls"}`), of("-edit", "edit_file", `{"path":"a"}`),
		lost, ran(lost, events.ToolInterrupted, 1), of("-runs", "look_up", `{}`),
	)
}

// endOf lists, for one ticket, what was decided on the last event of a history.
func endOf(t *testing.T, history []events.Payload, ticket string) []string {
	t.Helper()
	h := tierstest.Play(t, approval.Decider(), history...)
	cause := tierstest.ID(len(history))
	var out []string
	for _, e := range h.Events() {
		if e.Cause != cause {
			continue
		}
		switch p := e.Payload.(type) {
		case events.AskSettled:
			require.Equal(t, cause, p.AnswerID)
			out = append(out, "settled "+p.Gate+" "+p.Outcome)
		case events.ToolDenied:
			require.True(t, strings.HasPrefix(p.Call, ticket), p.Call)
			out = append(out, "denied "+strings.TrimPrefix(p.Call, ticket)+": "+p.Reason+" by "+p.By)
		case events.SpawnDenied:
			out = append(out, "spawn denied "+p.Ticket)
		case events.StepDenied:
			out = append(out, "step denied "+p.Ticket)
		case events.InterruptResolved:
			out = append(out, "resolved "+p.Resolution)
		default:
			t.Fatalf("decided %T", p)
		}
	}
	return out
}

func TestAKillWithdrawsTheAsksOfItsTicketOnly(t *testing.T) {
	t.Parallel()
	killed := events.TicketKilled{Ticket: "T-2", Attempt: 2, By: "ada"}
	all := given(begin(spawnApproval), busy("T-1", 1), busy("T-2", 2), busy("T-3", 1))
	require.Equal(t, []string{
		"settled spawn no", "spawn denied T-2", "settled step no", "step denied T-2",
		"settled tool no", "denied -shell: the ticket was killed by ada", "settled interrupted no", "resolved fail",
		"denied -edit: the ticket was killed by ada",
	}, endOf(t, given(all, killed), "T-2"))
	later := given(begin(spawnApproval), busy("T-2", 3), killed)
	require.Empty(t, endOf(t, later, "T-2"), "a later attempt is not meant")
	require.Empty(t, endOf(t, given(all, killed, killed), "T-2"), "twice is once")
}

func TestAfterAKillTheAttemptGetsNothing(t *testing.T) {
	t.Parallel()
	killed := events.TicketKilled{Ticket: "T-1", Attempt: 1, By: "ada"}
	over := given(begin(rules(yesRule)), killed)
	running := given(begin(rules(yesRule)), shell, killed)
	nextAttempt := wants("c2", "run_powershell", `{"script":"ls"}`)
	nextAttempt.Attempt = 2
	otherTicket := wants("c2", "run_powershell", `{"script":"ls"}`)
	otherTicket.Ticket = "T-2"
	noAttempt := events.ToolRequested{Call: "c1", Tool: "look_up", Args: []byte(`{}`)}
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "a late call", Given: over, When: shell, Then: given(refused(shell, "engine", "", "the ticket was killed"))},
		{Name: "a late round", Given: over, When: events.StepRequested{Ticket: "T-1", Attempt: 1, Round: 2},
			Then: given(events.StepDenied{Ticket: "T-1", Attempt: 1, Round: 2, Reason: "the ticket was killed", By: "engine"})},
		{Name: "a late preview", Given: given(begin(), edit, killed), When: events.PreviewBuilt{Call: "c1", Diff: "-a"}},
		{Name: "a late parking of a preview", Given: given(begin(), edit, killed), When: events.ToolParked{Call: "c1"}},
		{Name: "a running call that was interrupted", Given: running, When: ran(shell, events.ToolInterrupted, 1),
			Then: given(resolved(shell, "fail", "engine", "the ticket was killed"))},
		{Name: "a running call that was parked", Given: running, When: events.ToolParked{Call: "c1"},
			Then: given(resolved(shell, "fail", "engine", "the ticket was killed"))},
		{Name: "a running call that was killed", Given: running, When: ran(shell, events.ToolKilled, 1)},
		{Name: "an answer to a withdrawn ask", Given: given(begin(), shell, killed), When: answer(shellAsk, "yes"),
			Then: given(decided[events.AnswerRefused]())},
		{Name: "the next attempt is not meant", Given: over, When: nextAttempt, Then: given(decided[events.ToolApproved]())},
		{Name: "another ticket is not meant", Given: over, When: otherTicket, Then: given(decided[events.ToolApproved]())},
		{Name: "a call of no ticket is not meant", Given: over, When: noAttempt, Then: given(decided[events.ToolApproved]())},
		{
			Name: "an older kill does not lift a newer one", Given: given(begin(rules(yesRule)),
				events.TicketKilled{Ticket: "T-1", Attempt: 2}, killed), When: nextAttempt,
			Then: given(decided[events.ToolDenied]()),
		},
	})
}

func TestABlockWithdrawsTheQuestionOfItsStart(t *testing.T) {
	t.Parallel()
	blocked := events.TicketBlocked{Ticket: "T-1", Kind: events.BlockManual, Reason: "waits for legal"}
	two := given(begin(spawnApproval), start, events.SpawnRequested{Ticket: "T-2", Attempt: 1}, stepping)
	reason := "the ticket was blocked: waits for legal"
	tierstest.Run(t, approval.Decider(), scenarios{
		{
			Name: "while it is open", Given: two, When: blocked,
			Then: given(settled("spawn", spawnAsk, "no", 6, endedBy(events.ActorConductor, reason)),
				events.SpawnDenied{Ticket: "T-1", Attempt: 1, Reason: reason, By: events.ActorConductor, Ask: spawnAsk}),
		},
		{Name: "not when it was answered", Given: given(two, answer(spawnAsk, "yes")), When: blocked},
		{Name: "not twice", Given: given(two, blocked), When: blocked},
		{Name: "not of another ticket", Given: given(begin(spawnApproval), events.SpawnRequested{Ticket: "T-2", Attempt: 1}),
			When: blocked},
		{Name: "a late answer is told", Given: given(two, blocked), When: answer(spawnAsk, "yes"),
			Then: given(decided[events.AnswerRefused]())},
		{Name: "it asks again once it is unblocked", Given: given(two, blocked), When: events.SpawnRequested{Ticket: "T-1",
			Attempt: 2}, Then: given(decided[events.AskRaised]())},
	})
}

func TestACloseSettlesEverythingAsANo(t *testing.T) {
	t.Parallel()
	all := given(begin(spawnApproval), busy("T-1", 1), tierstest.By(tierstest.Agent, events.AskPosted{RequestID: "r-1"}))
	require.Equal(t, []string{
		"settled spawn no", "spawn denied T-1", "settled step no", "step denied T-1",
		"settled tool no", "denied -shell: the session was closed: enough by ada", "settled interrupted no", "resolved fail",
		"settled http no",
		"denied -edit: the session was closed: enough by ada",
	}, endOf(t, given(all, events.SessionClosed{Reason: "enough"}), "T-1"))
}

func TestAfterTheCloseNothingIsDecided(t *testing.T) {
	t.Parallel()
	closed := given(begin(spawnApproval), shell, edit, events.SessionClosed{Reason: "enough"})
	var table scenarios
	for _, p := range given(
		wants("c9", "read_file", `{"path":"a"}`), wants("c9", "rm", `{}`), start, stepping, answer(shellAsk, "yes"),
		answer("A-9", "yes"),
		events.PreviewBuilt{Call: "c1"}, events.TimerFired{Ask: shellAsk}, events.TicketKilled{Ticket: "T-1", Attempt: 1},
		events.SessionClosed{Reason: "again"},
		tierstest.By(tierstest.Agent, answer(shellAsk, "yes")),
	) {
		table = append(table, tierstest.Scenario{Name: p.EventType().Name, Given: closed, When: p})
	}
	tierstest.Run(t, approval.Decider(), table)
}

func TestAQuestionThatComesBehindTheEndIsSettledAsANo(t *testing.T) {
	t.Parallel()
	over := given(begin(), events.SessionClosed{Reason: "over"})
	posted := events.AskPosted{RequestID: "A-1", Data: []byte(`{}`)}
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "once", Given: over, When: posted, Then: given(decided[events.AskRaised](), decided[events.AskSettled]())},
		{Name: "not twice", Given: given(over, posted), When: posted},
		{Name: "not one that was settled before the end", Given: given(begin(), posted, events.SessionClosed{Reason: "over"}),
			When: posted},
		{Name: "not one without a name", Given: over, When: events.AskPosted{Data: []byte(`{}`)}},
	})
}
