package projections

import (
	"strconv"

	"manualslop/events"
)

// Usage sums tokens as providers reported them.
type Usage struct {
	Requests   int   `json:"requests"` // replies that count
	Failed     int   `json:"failed"`   // attempts that failed; their tokens are in the sums
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
	// CacheWriteHour is the part of CacheWrite that is kept for an hour.
	CacheWriteHour int64 `json:"cache_write_hour,omitempty"`
	// Reported is what providers themselves say that their calls cost, in
	// micro-dollars; only some say so.
	Reported  int64 `json:"reported_micro_dollars,omitempty"`
	Estimated bool  `json:"estimated,omitempty"` // some of it was not reported but estimated
}

func (u *Usage) add(t events.Usage) {
	u.Input += t.Input
	u.Output += t.Output
	u.CacheRead += t.CacheRead
	u.CacheWrite += t.CacheWrite
	u.CacheWriteHour += t.CacheWriteHour
	if t.CostMicroDollars != nil {
		u.Reported += *t.CostMicroDollars
	}
	u.Estimated = u.Estimated || t.Estimated
}

// Cost is what the session used, in tokens.
type Cost struct {
	Total  Usage             `json:"total"`
	Tier   map[string]*Usage `json:"tier"`   // by "1" to "4"
	Model  map[string]*Usage `json:"model"`  // by provider and model, "anthropic/claude-x"
	Track  map[string]*Usage `json:"track"`  // by track id
	Ticket map[string]*Usage `json:"ticket"` // by ticket id
}

func newCost() Cost {
	return Cost{Tier: map[string]*Usage{}, Model: map[string]*Usage{}, Track: map[string]*Usage{},
		Ticket: map[string]*Usage{}}
}

// each calls f for every sum that a request belongs to.
func (c *Cost) each(q request, f func(*Usage)) {
	f(&c.Total)
	f(usageOf(c.Tier, strconv.Itoa(q.Tier)))
	f(usageOf(c.Model, q.Provider+"/"+q.Model))
	if q.Track != "" {
		f(usageOf(c.Track, q.Track))
	}
	if q.Ticket != "" {
		f(usageOf(c.Ticket, q.Ticket))
	}
}

func usageOf(m map[string]*Usage, key string) *Usage {
	u := m[key]
	if u == nil {
		u = &Usage{}
		m[key] = u
	}
	return u
}

type meter struct {
	Requests requests `json:"requests"`
	Cost     Cost     `json:"cost"`
}

var cost = Fold[*meter]{
	Name: "cost", Version: 2,
	Takes: ofRequests,
	New:   func() *meter { return &meter{Requests: requests{}, Cost: newCost()} },
	Apply: (*meter).apply,
	View:  func(m *meter) any { return m.Cost },
}

func (m *meter) apply(e *events.Event) *meter {
	switch p := e.Payload.(type) {
	case events.ModelRequested:
		m.Requests.asked(e, &p)
	case events.ModelReplied:
		if q, counts := m.Requests.answered(p.Request); counts {
			m.Cost.each(q, func(u *Usage) { u.Requests++; u.add(p.Usage) })
		}
	case events.ModelFailed:
		if q, counts := m.Requests.answered(p.Request); counts {
			m.Cost.each(q, func(u *Usage) {
				u.Failed++
				if p.Usage != nil {
					u.add(*p.Usage)
				}
			})
		}
	case events.ModelDenied:
		m.Requests.answered(p.Request)
	}
	return m
}

// Cost is what the session used so far, in tokens. It is shared: read it only.
func (s *Set) Cost() Cost { return stateOf(s, cost).Cost }

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
