package approval

import (
	"fmt"
	"strings"

	"manualslop/events"
	"manualslop/events/chars"
)

// admission is the decision on a guarded request.
type admission int

const (
	goes  admission = iota + 1
	stops           // denied
	asks            // a user must decide about a budget
	waits           // unanswered requests reserve the money that it needs
)

// admit approves and denies waiting requests. It raises an ask if nothing else helps, and
// withdraws asks that are no longer needed.
func (s *State) admit(e *events.Event) {
	m := s.money
	needed := map[budget]bool{}
	var still []*charge
	for _, c := range m.waiting {
		verdict, b, why := s.admission(c)
		switch verdict {
		case goes:
			s.letGo(c)
			continue
		case stops:
			s.owe(events.ModelDenied{Request: c.id, Ticket: c.ticket, Reason: why.reason, By: why.by, Ask: why.ask})
			continue
		case asks:
			if needed[b] = true; !m.isOpen(b) {
				m.open = append(m.open, openBudget{b, s.raise(e, s.question(b, c))})
			}
		}
		still = append(still, c)
	}
	m.waiting = still
	s.withdrawBudgets(e, needed)
}

// admission checks one request against all budgets that it belongs to.
func (s *State) admission(c *charge) (admission, budget, stop) {
	m := s.money
	if s.over(c.ticket, c.attempt) {
		return stops, budget{}, stop{reason: killedReason, by: "engine"}
	}
	if c.unsound != "" {
		return stops, budget{}, stop{reason: "the cost of the request is not known: " + c.unsound, by: "engine"}
	}
	if !c.known && !m.accepted[c.named()] {
		b := budget{budgetPrice, c.named()}
		if why, stopped := m.stopped[b]; stopped {
			return stops, b, why
		}
		return asks, b, stop{}
	}
	if m.finish[c.ticket] {
		return goes, budget{}, stop{}
	}
	out := goes
	for _, b := range m.budgets(c) {
		if why, stopped := m.stopped[b]; stopped {
			return stops, b, why
		}
		switch least := m.spent[b].Plus(c.worst); {
		case least > m.limit(b):
			return asks, b, stop{}
		case least.Plus(m.reserved[b]) > m.limit(b):
			out = waits
		}
	}
	return out, budget{}, stop{}
}

// named returns the model of a charge as it is named in the configuration.
func (c *charge) named() string { return c.provider + "/" + c.model }

// letGo reserves the maximum cost of a request and approves the request.
func (s *State) letGo(c *charge) {
	m := s.money
	m.flight[c.id] = c
	for _, b := range c.all() {
		m.reserved[b] = m.reserved[b].Plus(c.worst)
	}
	a := events.ModelApproved{Request: c.id, Ticket: c.ticket, Price: c.price, PromptTokens: c.prompt,
		ReplyTokens: c.reply}
	if c.known {
		worst := c.worst.Micro()
		a.WorstCaseMicroDollars = &worst
	}
	s.owe(a)
}

// withdrawBudgets settles the open budget asks that are no longer needed as rejected; that has no
// effect on the requests.
func (s *State) withdrawBudgets(e *events.Event, needed map[budget]bool) {
	m := s.money
	open := m.open
	m.open = nil
	for _, o := range open {
		if needed[o.budget] {
			m.open = append(m.open, o)
			continue
		}
		if a := s.asks[o.ask]; a != nil && a.settled == nil {
			s.settle(a, events.AskSettled{Outcome: events.No, By: "engine", AnswerID: e.ID, Reason: "nothing waits for it any " +
				"more", At: e.Time})
		}
	}
}

// question returns an ask for more of a budget that a request needs.
func (s *State) question(b budget, c *charge) events.AskRaised {
	m := s.money
	if b.kind == budgetPrice {
		q := events.BudgetQuestion{Budget: b.kind, Ticket: c.ticket, Provider: c.provider, Model: c.model,
			SpentDollars: inDollars(m.spent[ofSession()])}
		return events.AskRaised{Gate: events.GateBudget, Title: "call " + c.named() + ", whose price is not known",
			Ticket: c.ticket, Args: q.JSON(),
			Note: fmt.Sprintf("A budget is set, and nobody can hold this model against it. Yes calls it for the rest of the "+
				"session without counting it. "+
				"To count it, give [models.%s] input and output in config.toml, in dollars per million tokens, and go on with "+
				"the session.", chars.Quote(c.named()))}
	}
	limit, suggested := m.limit(b), m.suggested(b, c)
	q := events.BudgetQuestion{Budget: b.kind, Ticket: c.ticket, Provider: c.provider, Model: c.model,
		LimitDollars: inDollars(limit),
		SpentDollars: inDollars(m.spent[b]), WorstCaseDollars: inDollars(c.worst), SuggestLimitDollars: inDollars(suggested)}
	whose := "the session"
	if b.kind == events.BudgetTicket {
		whose = b.of
	}
	note := []string{fmt.Sprintf("yes raises the limit to $%.4f; yes with {\"limit\": DOLLARS} sets another one; no stops",
		q.SuggestLimitDollars)}
	if c.ticket != "" {
		note = append(note, fmt.Sprintf("yes with {\"action\": %s} lets %s finish beyond it",
			chars.Quote(events.BudgetActionFinish), c.ticket))
	}
	return events.AskRaised{Gate: events.GateBudget, Ticket: c.ticket, Args: q.JSON(), Note: strings.Join(note, "; "),
		Title: fmt.Sprintf("budget of %s: $%.4f of $%.4f spent, the next call may cost $%.4f", whose, q.SpentDollars,
			q.LimitDollars, q.WorstCaseDollars)}
}

// suggested returns the limit that a plain yes sets: the current one, doubled until the request
// fits.
func (m *money) suggested(b budget, c *charge) events.Pico {
	limit, most := m.limit(b), events.FromMicro(events.MaxBudget)
	need := m.spent[b].Plus(c.worst)
	for limit = limit.Plus(limit); limit < need && limit < most; {
		limit = limit.Plus(limit)
	}
	return min(limit, most)
}

func inDollars(p events.Pico) float64 { return float64(p.Micro()) / 1e6 }
