package projections

import "manualslop/events"

// Budgets are the limits of money of a session, in micro-dollars; 0: no limit.
type Budgets struct {
	Session int64 `json:"session_micro_dollars"`
	Ticket  int64 `json:"ticket_micro_dollars"` // of each ticket
	// Tickets are the limits of those whose own was raised.
	Tickets map[string]int64 `json:"tickets,omitempty"`
	// Finishing are tickets that may go on beyond every limit.
	Finishing []string `json:"finishing,omitempty"`
	// Warned are the budgets of which four fifths were spent: session, or a ticket.
	Warned []string `json:"warned,omitempty"`
}

// apply folds what changes a limit.
func (b *Budgets) apply(p events.Payload) {
	switch p := p.(type) {
	case events.SessionOpened:
		if s := p.Settings.Budget; s != nil {
			b.Session, b.Ticket = s.SessionMicroDollars, s.TicketMicroDollars
		}
	case events.BudgetRaised:
		switch {
		case p.Finish != "":
			b.Finishing = append(b.Finishing, p.Finish)
		case p.Budget == events.BudgetSession:
			b.Session = p.LimitMicroDollars
		case b.Tickets == nil:
			b.Tickets = map[string]int64{p.Ticket: p.LimitMicroDollars}
		default:
			b.Tickets[p.Ticket] = p.LimitMicroDollars
		}
	case events.BudgetWarned:
		b.Warned = append(b.Warned, p.EventCorr())
	}
}

// Of is the limit of a ticket; 0: none.
func (b Budgets) Of(ticket string) int64 {
	if limit, raised := b.Tickets[ticket]; raised {
		return limit
	}
	return b.Ticket
}

// Budgets are the session's limits of money. They are shared: read them only.
func (s *Set) Budgets() Budgets { return stateOf(s, spending).Budgets }
