package approval

import (
	"encoding/json"
	"fmt"
	"math"
	"slices"

	"manualslop/events"
)

// budgetArgs returns the arguments of a user's yes, and false if they are invalid.
func budgetArgs(args json.RawMessage) (events.BudgetArgs, bool) {
	const unread = "\x00"
	a := events.BudgetArgs{Action: unread}
	read(args, &a)
	return a, a.Action != unread
}

// badBudget returns why args do not fit a question about a budget, empty if
// they do.
func (s *State) badBudget(a *ask, args json.RawMessage) string {
	at := slices.IndexFunc(s.money.open, func(o openBudget) bool { return o.ask == a.id })
	said, ok := budgetArgs(args)
	if !ok || at < 0 {
		return `args must be {"limit": DOLLARS}, {"action": "stop"} or {"action": "finish_ticket"}`
	}
	b := s.money.open[at].budget
	switch said.Action {
	case events.BudgetActionStop:
		return ""
	case events.BudgetActionFinish:
		if b.kind == budgetPrice || a.ticket == "" {
			return "no ticket can finish by this ask"
		}
		return ""
	case "", events.BudgetActionRaise:
		return s.badLimit(b, said.Limit)
	}
	return "action is none of raise, stop and finish_ticket"
}

func (s *State) badLimit(b budget, dollars float64) string {
	switch {
	case dollars == 0:
		return ""
	case b.kind == budgetPrice:
		return "this ask has no limit"
	case dollars*1e6 > events.MaxBudget:
		return fmt.Sprintf("the limit is over $%d", int64(events.MaxBudget)/1_000_000)
	case dollarsIn(dollars) <= s.money.limit(b):
		return fmt.Sprintf("the limit is $%.4f already; give a higher one", inDollars(s.money.limit(b)))
	}
	return ""
}

func dollarsIn(dollars float64) events.Pico {
	return events.FromMicro(int64(math.Round(dollars * 1e6)))
}

// settleBudget applies the user's answer. Anything but an approval stops the waiting requests. A
// withdrawn ask is no longer in the list, so it changes nothing.
func (s *State) settleBudget(a *ask, out events.AskSettled) {
	m := s.money
	at := slices.IndexFunc(m.open, func(o openBudget) bool { return o.ask == a.id })
	if at < 0 || s.closed {
		return
	}
	b := m.open[at].budget
	m.open = slices.Delete(m.open, at, at+1)
	said, _ := budgetArgs(out.Args)
	switch {
	case out.Outcome != events.Yes || said.Action == events.BudgetActionStop:
		m.stopped[b] = stop{reason: stopReason(b, out), by: out.By, ask: out.Ask}
	case b.kind == budgetPrice:
		m.accepted[b.of] = true
	case said.Action == events.BudgetActionFinish:
		m.finish[a.ticket] = true
		s.owe(events.BudgetRaised{Budget: b.kind, Ticket: b.of, Finish: a.ticket, By: out.By, Ask: out.Ask})
		if b.kind == events.BudgetSession {
			m.stopped[b] = stop{reason: fmt.Sprintf("the budget of the session is spent; only %v may finish", m.tickets()),
				by: out.By, ask: out.Ask}
		}
	default:
		s.raiseLimit(b, s.newLimit(b, said), out.By, out.Ask)
	}
	s.admit(s.cause)
}

// newLimit returns the limit that a user set, or else the one that the waiting requests need.
func (s *State) newLimit(b budget, said events.BudgetArgs) events.Pico {
	m := s.money
	if said.Limit > 0 {
		return dollarsIn(said.Limit)
	}
	limit := m.limit(b)
	for _, c := range m.waiting {
		if slices.Contains(m.budgets(c), b) {
			return m.suggested(b, c)
		}
	}
	return limit.Plus(limit)
}

func stopReason(b budget, out events.AskSettled) string {
	what := "the budget of the session is spent"
	switch b.kind {
	case events.BudgetTicket:
		what = "the budget of " + b.of + " is spent"
	case budgetPrice:
		what = "the price of " + b.of + " is not known, and a budget is set"
	}
	if out.Reason != "" {
		return what + ": " + out.Reason
	}
	return what + "; stopped by " + out.By
}
