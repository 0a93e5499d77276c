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

func TestQuestionGate(t *testing.T) {
	t.Parallel()
	wonder := events.QuestionRequested{Ticket: "T-1", Attempt: 1, Round: 2, Text: "Both exist.\nWhich API?",
		Choices: []string{"v1", "v2"}}
	id := askID(events.GateQuestion, firstFree)
	raised := given(events.AskRaised{Ask: id, Gate: "question", Title: "Both exist.", Ticket: "T-1", Attempt: 1, Round: 2,
		Args: json.RawMessage(`{"question":"Both exist.\nWhich API?","choices":["v1","v2"]}`),
		Note: "Answer with text or one of the choices; answer no if you do not want to answer."})
	open := given(begin(), wonder)
	passed := func(text string) events.QuestionAnswered {
		return events.QuestionAnswered{Ticket: "T-1", Attempt: 1, Round: 2, Answer: text, By: "ada", Ask: id}
	}
	words := func(n int) string { return `{"answer":"` + strings.Repeat("x", n) + `"}` }
	refusal := func(reason string) []events.Payload { return given(notCounted(id, 4, "ada", reason)) }
	const wrong = `args must be {"answer": "…"}`
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "asks", Given: begin(), When: wonder, Then: raised},
		{Name: "under --yes, too", Given: given(begin(), events.RuleAdded{Rule: yesRule}), When: wonder,
			Then: given(decided[events.AskRaised]())},
		{Name: "words", Given: open, When: answer(id, "yes", editing(`{"answer":"use v2"}`)),
			Then: given(settled("question", id, "yes", 4, settledWith(`{"answer":"use v2"}`)), passed("use v2"))},
		{Name: "yes", Given: open, When: answer(id, "yes"), Then: given(settled("question", id, "yes", 4), passed("yes"))},
		{Name: "no with a reason", Given: open, When: answer(id, "no", because("neither")),
			Then: given(settled("question", id, "no", 4, endedBy("ada", "neither")), passed("no: neither"))},
		{Name: "no words", Given: open, When: answer(id, "yes", editing(`{"answer":" "}`)), Then: refusal(wrong)},
		{Name: "other arguments", Given: open, When: answer(id, "yes", editing(`{"answer":"v2","x":1}`)), Then: refusal(wrong)},
		{Name: "no object", Given: open, When: answer(id, "yes", editing(`"v2"`)), Then: refusal(wrong)},
		{Name: "words at the limit", Given: open, When: answer(id, "yes", editing(words(approval.MaxReason))),
			Then: given(decided[events.AskSettled](), decided[events.QuestionAnswered]())},
		{Name: "words over it", Given: open, When: answer(id, "yes", editing(words(approval.MaxReason+1))),
			Then: refusal("the answer of 4097 bytes is over the limit of 4096")},
		{Name: "a kill", Given: open, When: events.TicketKilled{Ticket: "T-1", Attempt: 1, By: "ada"},
			Then: given(decided[events.AskSettled](), events.QuestionAnswered{Ticket: "T-1", Attempt: 1, Round: 2, By: "ada",
				Ask: id, Reason: "the ticket was killed"})},
		{Name: "a question after the kill", Given: given(begin(), events.TicketKilled{Ticket: "T-1", Attempt: 1, By: "ada"}),
			When: wonder, Then: given(events.QuestionAnswered{Ticket: "T-1", Attempt: 1, Round: 2, By: "engine",
				Reason: "the ticket was killed"})},
	})
}

func TestAPlanIsAnsweredWithinItsLimits(t *testing.T) {
	t.Parallel()
	plan := events.PlanProposed{Track: "TR-1", Tickets: []events.Ticket{{ID: "A", Description: "Do it"}}}
	opened := begin(func(s *events.Settings) { s.GateTimeoutMS = 1000 })
	asked := given(opened, plan)
	at := len(asked)
	id := askID(events.GatePlan, at)
	edit := func(text int) (tickets []events.Ticket, args string) {
		tickets = []events.Ticket{{ID: "A", Description: strings.Repeat("x", text)}}
		b, err := json.Marshal(map[string]any{"tickets": tickets})
		require.NoError(t, err)
		return tickets, string(b)
	}
	_, least := edit(0)
	most, fits := edit(approval.MaxPlan - len(least))
	_, over := edit(approval.MaxPlan - len(least) + 1)
	answered := events.PlanAnswered{Plan: tierstest.ID(at), Track: "TR-1", By: "ada", Ask: id}
	yes, expired := answered, answered
	yes.Outcome, yes.Tickets = events.Yes, most
	expired.Outcome, expired.By = events.No, events.ActorTimers
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "the largest", Given: asked, When: answer(id, "yes", editing(fits)),
			Then: given(settled("plan", id, "yes", at+1, settledWith(fits)), yes)},
		{Name: "one byte more", Given: asked, When: answer(id, "yes", editing(over)), Then: given(notCounted(id, at+1, "ada",
			"the edited plan of 393217 bytes is over the limit of 393216"))},
		{Name: "nobody answers, and nobody is asked for another plan", Given: asked,
			When: events.TimerFired{Ask: id, Due: tierstest.At(at).Add(1000 * 1e6)},
			Then: given(decided[events.AskSettled](), expired)},
	})
}
