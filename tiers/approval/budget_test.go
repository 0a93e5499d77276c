package approval_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/approval"
	"manualslop/tiers/tierstest"
	"manualslop/tiers/tokens"
)

// dollar is a dollar in micro-dollars.
const dollar = 1_000_000

// budgeted sets budgets in micro-dollars.
func budgeted(session, ticket int64) func(*events.Settings) {
	return func(s *events.Settings) {
		s.Budget = &events.BudgetSettings{SessionMicroDollars: session, TicketMicroDollars: ticket}
	}
}

// priced knows one model: a dollar for a million tokens of a reply, prompts are free.
var priced = events.ModelsOffered{Models: []events.ModelOffer{{Provider: "p", Model: "m", Prices: []events.ModelPrice{
	{ID: "p/m", Output: dollar}}}}}

// calls is a guarded request of a ticket that costs at most so many micro-dollars.
func calls(ticket string, worst int) events.ModelRequested {
	return events.ModelRequested{StreamID: "x", Ticket: ticket, TicketAttempt: 1, Attempt: 1, Tier: 3, Provider: "p",
		Model: "m", Guarded: true, Params: events.ModelParams{MaxOutputTokens: worst}}
}

// replied is an answer to the n-th foreign event that cost so many micro-dollars.
func replied(n int, cost int64) events.ModelReplied {
	return events.ModelReplied{Request: tierstest.ID(n), Usage: events.Usage{Output: cost}}
}

// embedded is a retrieval whose vectors cost so many micro-dollars.
func embedded(cost int64) events.ContextBuilt {
	return events.ContextBuilt{Request: "R", Retrieved: &events.Retrieved{Ticket: "D-1", Tier: 3, Provider: "p",
		Model: "m", Usage: &events.Usage{Output: cost}}}
}

// letGo is the approval of the n-th foreign event.
func letGo(n int, ticket string, worst int64) events.Payload {
	return letGoAs(events.ModelApproved{Request: tierstest.ID(n), Ticket: ticket, WorstCaseMicroDollars: &worst,
		Price: "p/m"})
}

// letGoAs is an expected approval, whatever its tokens.
func letGoAs(want events.ModelApproved) events.Payload {
	return tierstest.Check(func(t testing.TB, got events.ModelApproved) {
		require.Positive(t, got.PromptTokens)
		want.PromptTokens, want.ReplyTokens = got.PromptTokens, got.ReplyTokens
		require.Equal(t, want, got)
	})
}

// budgetAsk looks at the question about a budget.
func budgetAsk(kind, ticket string, suggest float64) events.Payload {
	return tierstest.Check(func(t testing.TB, p events.AskRaised) {
		require.Equal(t, events.GateBudget, p.Gate)
		var q events.BudgetQuestion
		require.NoError(t, json.Unmarshal(p.Args, &q))
		require.Equal(t, kind, q.Budget)
		require.Equal(t, ticket, p.Ticket)
		require.InDelta(t, suggest, q.SuggestLimitDollars, 1e-9)
		require.NotEmpty(t, p.Note)
	})
}

func TestAGuardedRequestIsHeldAgainstItsBudgets(t *testing.T) {
	t.Parallel()
	session := given(begin(budgeted(10*dollar, 0)), priced)
	const first = firstFree + 1
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "what fits goes", Given: session, When: calls("T-1", 10*dollar), Then: given(letGo(first, "T-1", 10*dollar))},
		{Name: "a micro-dollar more asks", Given: session, When: calls("T-1", 10*dollar+1),
			Then: given(budgetAsk(events.BudgetSession, "T-1", 20))},
		{Name: "an unguarded one is nobody's business", Given: given(begin(), priced), When: calls("T-1", 11*dollar)},
		{Name: "one that requests under way leave no room for waits without a question",
			Given: given(session, calls("T-1", 6*dollar)), When: calls("T-2", 6*dollar)},
		{Name: "and goes when they cost less", Given: given(session, calls("T-1", 6*dollar), calls("T-2", 6*dollar)),
			When: replied(first, dollar), Then: given(letGo(first+1, "T-2", 6*dollar))},
		{Name: "and asks when they did not", Given: given(session, calls("T-1", 6*dollar), calls("T-2", 6*dollar)),
			When: replied(first, 6*dollar), Then: given(budgetAsk(events.BudgetSession, "T-2", 20))},
		{Name: "a failed attempt is paid, too", Given: given(session, calls("T-1", 6*dollar), calls("T-2", 6*dollar)),
			When: events.ModelFailed{Request: tierstest.ID(first), Kind: events.ModelIncomplete,
				Usage: &events.Usage{Output: 5 * dollar}}, Then: given(budgetAsk(events.BudgetSession, "T-2", 20))},
		{Name: "at most what its vendor says", Given: given(session, calls("T-1", 6*dollar)), When: events.ModelReplied{
			Request: tierstest.ID(first), Usage: events.Usage{Output: 1, CostMicroDollars: micro(9 * dollar)}},
			Then: given(events.BudgetWarned{Budget: events.BudgetSession, LimitMicroDollars: 10 * dollar,
				SpentMicroDollars: 9 * dollar})},
		{Name: "a second answer costs nothing", Given: given(session, calls("T-1", 6*dollar), replied(first, dollar)),
			When: replied(first, 9*dollar)},
		{Name: "four fifths warn", Given: given(session, calls("T-1", 9*dollar)), When: replied(first, 8*dollar),
			Then: given(events.BudgetWarned{Budget: events.BudgetSession, LimitMicroDollars: 10 * dollar,
				SpentMicroDollars: 8 * dollar})},
		{Name: "a micro-dollar less does not", Given: given(session, calls("T-1", 9*dollar)),
			When: replied(first, 8*dollar-1)},
		{Name: "and only once", Given: given(session, calls("T-1", 9*dollar), replied(first, 8*dollar), calls("T-1", dollar)),
			When: replied(first+2, dollar)},
		{Name: "a ticket has a budget of its own", Given: given(begin(budgeted(0, 2*dollar)), priced, calls("T-1", 2*dollar)),
			When: calls("T-2", 2*dollar), Then: given(letGo(first+1, "T-2", 2*dollar))},
		{Name: "which asks by itself", Given: given(begin(budgeted(0, 2*dollar)), priced), When: calls("T-1", 2*dollar+1),
			Then: given(budgetAsk(events.BudgetTicket, "T-1", 4))},
		{Name: "planning has none", Given: given(begin(budgeted(0, 2*dollar)), priced), When: calls("", 9*dollar),
			Then: given(letGo(first, "", 9*dollar))},
		{Name: "--yes is no answer", Given: given(begin(budgeted(dollar, 0)), priced, events.RuleAdded{Rule: yesRule}),
			When: calls("T-1", 2*dollar), Then: given(budgetAsk(events.BudgetSession, "T-1", 2))},
		{Name: "embeddings are paid, too", Given: session, When: embedded(8 * dollar), Then: given(events.BudgetWarned{
			Budget: events.BudgetSession, LimitMicroDollars: 10 * dollar, SpentMicroDollars: 8 * dollar})},
		{Name: "and leave less for what follows", Given: given(session, embedded(7*dollar)), When: calls("T-1", 4*dollar),
			Then: given(budgetAsk(events.BudgetSession, "T-1", 20))},
		{Name: "without a budget nobody counts them", Given: given(begin(), priced), When: embedded(8 * dollar)},
		{Name: "a killed attempt is not sent", Given: given(session, events.TicketKilled{Ticket: "T-1", Attempt: 1}),
			When: calls("T-1", dollar),
			Then: given(events.ModelDenied{Request: tierstest.ID(first + 1), Ticket: "T-1", Reason: "the ticket was killed",
				By: "engine"})},
	})
}

// prompts is a guarded request with a prompt that goes on behind keep parts of
// that in the n-th foreign event; 0: its own is all.
func prompts(n, keep int, texts ...string) events.ModelRequested {
	m := calls("T-1", 1)
	if n > 0 {
		m.Continues, m.Keep = tierstest.ID(n), keep
	}
	for _, text := range texts {
		m.Manifest = append(m.Manifest, events.Part{Role: "user", Text: text})
	}
	return m
}

func TestARequestThatContinuesAnotherCostsItsWholePrompt(t *testing.T) {
	t.Parallel()
	byPrompt := events.ModelsOffered{Models: []events.ModelOffer{{Provider: "p", Model: "m", Prices: []events.ModelPrice{
		{ID: "p/m", Input: dollar}}}}}
	session := given(begin(budgeted(10*dollar, 0)), byPrompt)
	const first = firstFree + 1
	long, short := strings.Repeat("x", 3000), strings.Repeat("y", 300)
	holds := func(n int, texts ...string) []events.Payload {
		most := int64(64) // around a prompt
		for _, text := range texts {
			most += 24 + tokens.Most(text)
		}
		return given(letGo(n, "T-1", most))
	}
	unsound := func(why string) []events.Payload {
		return given(tierstest.Check(func(t testing.TB, p events.ModelDenied) {
			require.Equal(t, []string{"T-1", "engine"}, []string{p.Ticket, p.By})
			require.Contains(t, p.Reason, "the cost of the request is not known: "+why)
		}))
	}
	begun := given(session, prompts(0, 0, long, short))
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "the first", Given: session, When: prompts(0, 0, long, short), Then: holds(first, long, short)},
		{Name: "a part more", Given: begun, When: prompts(first, 2, short), Then: holds(first+1, long, short, short)},
		{Name: "the same again", Given: begun, When: prompts(first, 2), Then: holds(first+1, long, short)},
		{Name: "shortened", Given: given(begun, prompts(first, 2, short)), When: prompts(first+1, 1),
			Then: holds(first+2, long)},
		{Name: "behind one that nobody guarded", Given: given(session, events.ModelRequested{Tier: 3, Ticket: "T-1",
			TicketAttempt: 1, Manifest: []events.Part{{Text: long}}}),
			When: prompts(first, 1, short), Then: holds(first+1, long, short)},
		{Name: "behind what its vendor counted", Given: given(begun, events.ModelReplied{Request: tierstest.ID(first),
			Usage: events.Usage{Input: 700, CacheRead: 100, CacheWrite: 20}}),
			When: prompts(first, 2, short), Then: given(letGo(first+2, "T-1", 820+24+tokens.Most(short)))},
		{Name: "what nobody knows", Given: session, When: prompts(99, 1, short), Then: unsound("it continues request")},
		{Name: "a part too many", Given: begun, When: prompts(first, 3), Then: unsound("it keeps 3 parts of request")},
		{Name: "twice", Given: given(begun, prompts(first, 2)), When: prompts(first, 2),
			Then: unsound("it continues request")},
		{Name: "behind the end of its ticket", Given: given(begun, events.TicketResolved{Ticket: "T-1", Attempt: 1}),
			When: prompts(first, 2), Then: unsound("it continues request")},
	})
}

func micro(n int64) *int64 { return &n }

func TestAPersonSaysWhatBecomesOfABudget(t *testing.T) {
	t.Parallel()
	const first = firstFree + 1
	short := given(begin(budgeted(10*dollar, 0)), priced, calls("T-1", 12*dollar), calls("T-2", 11*dollar))
	id := askID("budget", first)
	settled := func(outcome, reason, args string) events.Payload {
		return tierstest.Check(func(t testing.TB, p events.AskSettled) {
			require.Equal(t, outcome, p.Outcome)
			require.Equal(t, reason, p.Reason)
			require.Equal(t, args, string(p.Args))
		})
	}
	denied := func(n int, ticket, why string) events.ModelDenied {
		return events.ModelDenied{Request: tierstest.ID(n), Ticket: ticket, Reason: why, By: tierstest.Person, Ask: id}
	}
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "a plain yes doubles it until it fits, and only what fits goes", Given: short, When: answer(id, "yes"),
			Then: given(settled("yes", "", ""),
				events.BudgetRaised{Budget: "session", LimitMicroDollars: 20 * dollar, By: tierstest.Person, Ask: id},
				letGo(first, "T-1", 12*dollar))},
		{Name: "a limit is taken as it is", Given: short, When: answer(id, "yes", editing(`{"limit":23}`)),
			Then: given(settled("yes", "", `{"limit":23}`),
				events.BudgetRaised{Budget: "session", LimitMicroDollars: 23 * dollar, By: tierstest.Person, Ask: id},
				letGo(first, "T-1", 12*dollar), letGo(first+1, "T-2", 11*dollar))},
		{Name: "one that is too low asks again for what does not fit", Given: short, When: answer(id, "yes",
			editing(`{"limit":11.5}`)), Then: given(settled("yes", "", `{"limit":11.5}`),
			events.BudgetRaised{Budget: "session", LimitMicroDollars: 11_500_000, By: tierstest.Person, Ask: id},
			budgetAsk("session", "T-1", 23), letGo(first+1, "T-2", 11*dollar))},
		{Name: "no stops everything", Given: short, When: answer(id, "no"), Then: given(settled("no", "", ""),
			denied(first, "T-1", "the budget of the session is spent; stopped by "+tierstest.Person), denied(first+1, "T-2",
				"the budget of the session is spent; stopped by "+tierstest.Person))},
		{Name: "so does stop", Given: short, When: answer(id, "yes", editing(`{"action":"stop"}`)),
			Then: given(settled("yes", "", `{"action":"stop"}`),
				denied(first, "T-1", "the budget of the session is spent; stopped by "+tierstest.Person), denied(first+1, "T-2",
					"the budget of the session is spent; stopped by "+tierstest.Person))},
		{Name: "and what comes later", Given: given(short, answer(id, "no")), When: calls("T-3", 1),
			Then: given(denied(first+3, "T-3", "the budget of the session is spent; stopped by "+tierstest.Person))},
		{Name: "a ticket may finish", Given: short, When: answer(id, "yes", editing(`{"action":"finish_ticket"}`)),
			Then: given(settled("yes", "", `{"action":"finish_ticket"}`),
				events.BudgetRaised{Budget: "session", Finish: "T-1", By: tierstest.Person, Ask: id},
				letGo(first, "T-1", 12*dollar),
				denied(first+1, "T-2", "the budget of the session is spent; only [T-1] may finish"))},
		{Name: "a person raises it without being asked", Given: short, When: events.BudgetRaiseRequested{Budget: "session",
			LimitMicroDollars: 23 * dollar}, Then: given(
			events.BudgetRaised{Budget: "session", LimitMicroDollars: 23 * dollar, By: tierstest.Person},
			letGo(first, "T-1", 12*dollar), letGo(first+1, "T-2", 11*dollar),
			settled("no", "nothing waits for it any more", ""))},
		{Name: "also one that was stopped", Given: given(short, answer(id, "no"), events.BudgetRaiseRequested{
			Budget: "session", LimitMicroDollars: 23 * dollar}), When: calls("T-3", dollar),
			Then: given(letGo(first+4, "T-3", dollar))},
		{Name: "never lower", Given: short, When: events.BudgetRaiseRequested{Budget: "session",
			LimitMicroDollars: 10 * dollar}},
		{Name: "nor one that there is not", Given: short, When: events.BudgetRaiseRequested{Budget: "ticket", Ticket: "T-1",
			LimitMicroDollars: 90 * dollar}},
		{Name: "the kill of the ticket that asked leaves the question to who waits", Given: short, When: events.TicketKilled{
			Ticket: "T-1", Attempt: 1}, Then: given(
			events.ModelDenied{Request: tierstest.ID(first), Ticket: "T-1", Reason: "the ticket was killed", By: "engine"})},
		{Name: "the last one takes it back", Given: given(short, events.TicketKilled{Ticket: "T-1", Attempt: 1}),
			When: events.TicketKilled{Ticket: "T-2", Attempt: 1}, Then: given(
				events.ModelDenied{Request: tierstest.ID(first + 1), Ticket: "T-2", Reason: "the ticket was killed", By: "engine"},
				settled("no", "nothing waits for it any more", ""))},
	})
	for args, want := range map[string]string{
		`{"limit":10}`: "already", `{"limit":-1}`: "already", `{"limit":1000001}`: "over", `{"limt":20}`: "args must be",
		`{"action":"maybe"}`: "none of raise", `7`: "args must be",
	} {
		tierstest.Run(t, approval.Decider(), scenarios{{Name: "not with " + args, Given: short, When: answer(id, "yes",
			editing(args)), Then: given(tierstest.Check(func(t testing.TB, p events.AnswerRefused) {
			require.Contains(t, p.Reason, want)
		}))}})
	}
}

func TestAnUnknownPriceAsksOnceWhereABudgetIsSet(t *testing.T) {
	t.Parallel()
	const first = firstFree
	id := askID("budget", first)
	unpriced := given(begin(budgeted(10*dollar, 0)), calls("T-1", dollar), calls("T-2", dollar))
	unlimited := func(n int, ticket string) events.Payload {
		return letGoAs(events.ModelApproved{Request: tierstest.ID(n), Ticket: ticket})
	}
	anyAsk := tierstest.Check(func(t testing.TB, p events.AskRaised) {
		require.Contains(t, p.Note, `[models."p/m"]`)
		require.True(t, strings.HasSuffix(p.Title, "whose price is not known"), p.Title)
	})
	anySettled := tierstest.Check(func(t testing.TB, p events.AskSettled) {})
	tierstest.Run(t, approval.Decider(), scenarios{
		{Name: "the first request asks", Given: begin(budgeted(10*dollar, 0)), When: calls("T-1", dollar),
			Then: given(anyAsk)},
		{Name: "the second waits with it", Given: given(begin(budgeted(10*dollar, 0)), calls("T-1", dollar)),
			When: calls("T-2", dollar)},
		{Name: "yes lets them go uncounted", Given: unpriced, When: answer(id, "yes"), Then: given(anySettled,
			unlimited(first, "T-1"), unlimited(first+1, "T-2"))},
		{Name: "no denies them", Given: unpriced, When: answer(id, "no"), Then: given(anySettled,
			events.ModelDenied{Request: tierstest.ID(first), Ticket: "T-1", Reason: "the price of p/m is not known, and a " +
				"budget is set; stopped by " + tierstest.Person, By: tierstest.Person, Ask: id},
			events.ModelDenied{Request: tierstest.ID(first + 1), Ticket: "T-2",
				Reason: "the price of p/m is not known, and a budget is set; stopped by " + tierstest.Person, By: tierstest.Person,
				Ask: id})},
		{Name: "a price that becomes known answers it", Given: unpriced, When: priced,
			Then: given(letGo(first, "T-1", dollar), letGo(first+1, "T-2", dollar), anySettled)},
		{Name: "what a vendor says counts all the same", Given: given(unpriced, answer(id, "yes")), When: events.ModelReplied{
			Request: tierstest.ID(first), Usage: events.Usage{CostMicroDollars: micro(8 * dollar)}},
			Then: given(events.BudgetWarned{Budget: events.BudgetSession, LimitMicroDollars: 10 * dollar,
				SpentMicroDollars: 8 * dollar})},
	})
}
