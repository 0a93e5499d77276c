package approval_test

import (
	"math"
	"testing"
	"time"

	"manualslop/events"
	"manualslop/tiers/approval"
	"manualslop/tiers/tierstest"
)

func TestTimersSettleAsANo(t *testing.T) {
	t.Parallel()
	late := endedBy(events.ActorTimers, "nobody answered in time")
	const minute = 60_000
	due := func(n int) time.Time { return tierstest.At(n).Add(time.Minute) }
	fired := func(ask string, at time.Time) events.Payload { return events.TimerFired{Ask: ask, Due: at} }
	open := given(begin(gateTimeout(minute)), shell)
	posted := given(begin(), events.AskPosted{RequestID: "r-1", TimeoutMS: minute})
	interrupted := given(begin(gateTimeout(minute), rules(yesRule)), shell, ran(shell, events.ToolInterrupted, 1))
	again := askID(events.GateInterrupted, firstFree+1)
	expired := func(gate, ask string, n int) events.AskSettled { return settled(gate, ask, events.Expired, n, late) }
	tierstest.Run(t, approval.Decider(), scenarios{
		{
			Name: "a gate says when it expires", Given: begin(gateTimeout(minute)), When: shell,
			Then: given(asked(firstFree, shell, "run_powershell ls", func(a *events.AskRaised) {
				at := due(firstFree)
				a.ExpiresAt = &at
			})),
		},
		{
			Name: "a tool gate", Given: open, When: fired(shellAsk, due(firstFree)),
			Then: given(expired("tool", shellAsk, 4), refused(shell, events.ActorTimers, shellAsk, "nobody answered in time")),
		},
		{Name: "a timer that says later than due counts", Given: open, When: fired(shellAsk, due(firstFree).Add(time.Hour)),
			Then: given(decided[events.AskSettled](), decided[events.ToolDenied]())},
		{Name: "a timer that is too early does not", Given: open, When: fired(shellAsk, due(firstFree).Add(-1))},
		{Name: "nor a timer after an answer", Given: given(open, answer(shellAsk, "yes")),
			When: fired(shellAsk, due(firstFree))},
		{Name: "nor a second timer", Given: given(open, fired(shellAsk, due(firstFree))),
			When: fired(shellAsk, due(firstFree))},
		{Name: "nor a timer of an unknown ask", Given: open, When: fired("A-9", due(firstFree))},
		{Name: "nor a timer of a gate that never expires", Given: given(begin(), shell),
			When: fired(shellAsk, due(firstFree))},
		{Name: "nor a timer by somebody else", Given: open, When: tierstest.By(tierstest.Person,
			fired(shellAsk, due(firstFree)))},
		{
			Name: "an answer after the timer is refused", Given: given(open, fired(shellAsk, due(firstFree))),
			When: answer(shellAsk, "yes"),
			Then: given(func() events.Payload {
				at := tierstest.At(4)
				r := notCounted(shellAsk, 5, "ada", "it was settled before")
				r.SettledBy, r.SettledAt = events.ActorTimers, &at
				return r
			}()),
		},
		{Name: "a posted ask", Given: posted, When: fired("r-1", due(firstFree)), Then: given(expired("http", "r-1", 4))},
		{
			Name: "a spawn gate", Given: given(begin(gateTimeout(minute), spawnApproval), start),
			When: fired(spawnAsk, due(firstFree)),
			Then: given(expired("spawn", spawnAsk, 4), events.SpawnDenied{Ticket: "T-1", Attempt: 1,
				Reason: "nobody answered in time", By: events.ActorTimers, Ask: spawnAsk}),
		},
		{
			Name: "a step gate", Given: given(begin(gateTimeout(minute)), stepping), When: fired(stepAsk, due(firstFree)),
			Then: given(expired("step", stepAsk, 4), events.StepDenied{Ticket: "T-1", Attempt: 1, Round: 2,
				Reason: "nobody answered in time", By: events.ActorTimers, Ask: stepAsk}),
		},
		{
			Name: "an interrupted call fails", Given: interrupted, When: fired(again, due(firstFree+1)),
			Then: given(expired("interrupted", again, 5), resolved(shell, events.InterruptFail, events.ActorTimers,
				"nobody answered in time")),
		},
	})
}

func TestTheTimeOfAGateIsBounded(t *testing.T) {
	t.Parallel()
	longest := approval.MaxGateWait.Milliseconds()
	expires := func(wait time.Duration) []events.Payload {
		return given(asked(firstFree, shell, "run_powershell ls", func(a *events.AskRaised) {
			at := tierstest.At(firstFree).Add(wait)
			a.ExpiresAt = &at
		}))
	}
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "at the limit", Given: begin(gateTimeout(longest)), When: shell, Then: expires(approval.MaxGateWait)},
		{Name: "over it", Given: begin(gateTimeout(longest + 1)), When: shell, Then: expires(approval.MaxGateWait)},
		{Name: "more than a duration holds", Given: begin(gateTimeout(math.MaxInt64)), When: shell,
			Then: expires(approval.MaxGateWait)},
		{Name: "a negative one is none", Given: begin(gateTimeout(-1)), When: shell,
			Then: given(asked(firstFree, shell, "run_powershell ls"))},
	})
}
