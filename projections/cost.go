package projections

import (
	"encoding/json"
	"strconv"
	"time"

	"manualslop/events"
)

// Usage is a sum of tokens that providers reported.
type Usage struct {
	Requests   int   `json:"requests"` // replies that count
	Failed     int   `json:"failed"`   // failed attempts; their tokens are included in the sums
	Input      int64 `json:"input"`
	Output     int64 `json:"output"`
	CacheRead  int64 `json:"cache_read"`
	CacheWrite int64 `json:"cache_write"`
	// CacheWriteHour is the part of CacheWrite that is cached for an hour.
	CacheWriteHour int64 `json:"cache_write_hour,omitempty"`
	// Reported is the cost of the calls in micro-dollars, as far as providers reported it.
	Reported  int64 `json:"reported_micro_dollars,omitempty"`
	Estimated bool  `json:"estimated,omitempty"` // some tokens were estimated because they were not reported
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

// Cost is the usage of the session in tokens.
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

// each calls f for every sum to which a request belongs.
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
	Takes: ofUsage,
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
	case events.ContextBuilt:
		if q, used := embedding(p); used {
			m.Cost.each(q, func(u *Usage) { u.Requests++; u.add(*p.Retrieved.Usage) })
		}
	}
	return m
}

// ofUsage reports whether an event is about model requests or may report the usage of embeddings.
func ofUsage(p events.Payload) bool {
	_, built := p.(events.ContextBuilt)
	return built || ofRequests(p)
}

// embedding returns the embedding requests that were made for views, as one request. It returns false if none were
// made.
func embedding(p events.ContextBuilt) (request, bool) {
	r := p.Retrieved
	if r == nil || r.Usage == nil {
		return request{}, false
	}
	return request{Ticket: r.Ticket, Tier: r.Tier, Provider: r.Provider, Model: r.Model}, true
}

// Cost returns the session's usage so far, in tokens. The result is shared and
// must not be modified.
func (s *Set) Cost() Cost { return stateOf(s, cost).Cost }

// Budgets are the spending limits of a session, in micro-dollars; 0 means no
// limit.
type Budgets struct {
	Session int64 `json:"session_micro_dollars"`
	Ticket  int64 `json:"ticket_micro_dollars"` // limit of each ticket
	// Tickets are the raised limits, by ticket.
	Tickets map[string]int64 `json:"tickets,omitempty"`
	// Finishing are the tickets that may exceed every limit.
	Finishing []string `json:"finishing,omitempty"`
	// Warned are the budgets of which four fifths were spent: session, or a ticket id.
	Warned []string `json:"warned,omitempty"`
}

// apply folds events that change a limit.
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

// Of returns the limit of a ticket; 0 means none.
func (b Budgets) Of(ticket string) int64 {
	if limit, raised := b.Tickets[ticket]; raised {
		return limit
	}
	return b.Ticket
}

// Budgets returns the session's spending limits. The result is shared and must
// not be modified.
func (s *Set) Budgets() Budgets { return stateOf(s, spending).Budgets }

// Limits of the spending model.
const (
	// MaxSpendingLines limits the number of separate lines; further usage is added to one line per
	// provider and model whose ticket is [OtherTickets].
	MaxSpendingLines = 4096
	// MaxSpendingPoints is the length of a line's history at which pairs of points are merged.
	MaxSpendingPoints = 32
	// OtherTickets replaces the ticket in lines that exceed the limit.
	OtherTickets = "(others)"
)

// SpendingLine is the usage of one model for one ticket, or for a track or goal without a ticket,
// as reported by providers.
type SpendingLine struct {
	Track    string `json:"track,omitempty"`
	Ticket   string `json:"ticket,omitempty"`
	Tier     int    `json:"tier"`
	Provider string `json:"provider"`
	Model    string `json:"model"`
	// Price is the price of its tokens according to the newest ModelsOffered at the time; nil if
	// unknown.
	Price *events.ModelPrice `json:"price,omitempty"`
	Usage Usage              `json:"usage"`
	// History is Usage over time, oldest first; the points add up to Usage.
	History []SpendingPoint `json:"history"`
}

// SpendingPoint is the usage after the previous point up to a time.
type SpendingPoint struct {
	At    time.Time `json:"at"` // of the newest answer included
	Usage Usage     `json:"usage"`
}

// spendingKey identifies a line.
type spendingKey struct {
	track, ticket   string
	tier            int
	provider, model string
	price           string // as JSON, because a price may change while its id stays the same
}

type spendings struct {
	Requests requests             `json:"requests"`
	Offered  events.ModelsOffered `json:"offered"`
	Budgets  Budgets              `json:"budgets"`
	Lines    []*SpendingLine      `json:"lines"` // in the order of their first answer
	byKey    map[spendingKey]*SpendingLine
}

var spending = Fold[*spendings]{
	Name: "spending", Version: 2,
	Takes: func(p events.Payload) bool {
		switch p.(type) {
		case events.SessionOpened, events.ModelsOffered, events.BudgetRaised, events.BudgetWarned:
			return true
		}
		return ofUsage(p)
	},
	New: func() *spendings {
		return &spendings{Requests: requests{}, Lines: []*SpendingLine{}, byKey: map[spendingKey]*SpendingLine{}}
	},
	Apply: (*spendings).apply,
	View: func(s *spendings) any {
		return struct {
			Lines   []*SpendingLine `json:"lines"`
			Budgets Budgets         `json:"budgets"`
		}{s.Lines, s.Budgets}
	},
}

// UnmarshalJSON decodes the state and rebuilds its index.
func (s *spendings) UnmarshalJSON(raw []byte) error {
	type plain spendings
	if err := events.Unmarshal(raw, (*plain)(s)); err != nil {
		return err
	}
	s.byKey = map[spendingKey]*SpendingLine{}
	for _, l := range s.Lines {
		s.byKey[spendingKey{l.Track, l.Ticket, l.Tier, l.Provider, l.Model, priceKey(l.Price)}] = l
	}
	return nil
}

func (s *spendings) apply(e *events.Event) *spendings {
	switch p := e.Payload.(type) {
	case events.ModelsOffered:
		s.Offered = p
	case events.ModelRequested:
		s.Requests.asked(e, &p)
	case events.ModelReplied:
		s.answered(e, p.Request, Usage{Requests: 1}, p.Usage)
	case events.ModelFailed:
		var used events.Usage
		if p.Usage != nil {
			used = *p.Usage
		}
		s.answered(e, p.Request, Usage{Failed: 1}, used)
	case events.ModelDenied:
		s.Requests.answered(p.Request)
	case events.ContextBuilt:
		if q, used := embedding(p); used {
			s.spend(e, q, Usage{Requests: 1}, *p.Retrieved.Usage)
		}
	default:
		s.Budgets.apply(p)
	}
	return s
}

// answered adds the usage of an attempt, at the price for its time and prompt size.
func (s *spendings) answered(e *events.Event, request string, u Usage, used events.Usage) {
	if q, counts := s.Requests.answered(request); counts {
		s.spend(e, q, u, used)
	}
}

// spend adds the usage of a request.
func (s *spendings) spend(e *events.Event, q request, u Usage, used events.Usage) {
	u.add(used)
	var price *events.ModelPrice
	if p, known := s.Offered.Price(q.Provider, q.Model, e.Time, used.Prompt()); known {
		price = &p
	}
	s.line(q, price).spend(e.Time, u)
}

// priceKey identifies a price.
func priceKey(p *events.ModelPrice) string {
	if p == nil {
		return ""
	}
	b, err := json.Marshal(p)
	if err != nil {
		panic("projections: " + err.Error()) // strings and numbers cannot fail
	}
	return string(b)
}

// line returns the line of a request and creates it if needed.
func (s *spendings) line(q request, price *events.ModelPrice) *SpendingLine {
	k := spendingKey{q.Track, q.Ticket, q.Tier, q.Provider, q.Model, priceKey(price)}
	if l := s.byKey[k]; l != nil {
		return l
	}
	if len(s.Lines) >= MaxSpendingLines {
		k = spendingKey{ticket: OtherTickets, provider: q.Provider, model: q.Model, price: k.price}
		if l := s.byKey[k]; l != nil {
			return l
		}
	}
	l := &SpendingLine{Track: k.track, Ticket: k.ticket, Tier: k.tier, Provider: k.provider, Model: k.model, Price: price}
	s.byKey[k] = l
	s.Lines = append(s.Lines, l)
	return l
}

// spend adds the usage of one answer. A full history loses resolution, but no tokens.
func (l *SpendingLine) spend(at time.Time, u Usage) {
	l.Usage.sum(u)
	if len(l.History) >= MaxSpendingPoints {
		half := l.History[:0]
		for i := 0; i < len(l.History); i += 2 {
			pair := l.History[i]
			if i+1 < len(l.History) {
				pair.At = l.History[i+1].At
				pair.Usage.sum(l.History[i+1].Usage)
			}
			half = append(half, pair)
		}
		l.History = half
	}
	l.History = append(l.History, SpendingPoint{at, u})
}

// sum adds another usage to u.
func (u *Usage) sum(o Usage) {
	u.Requests += o.Requests
	u.Failed += o.Failed
	u.Reported += o.Reported
	u.add(events.Usage{Input: o.Input, Output: o.Output, CacheRead: o.CacheRead, CacheWrite: o.CacheWrite,
		CacheWriteHour: o.CacheWriteHour, Estimated: o.Estimated})
}

// Offered returns the session's newest ModelsOffered; before the first one it has no rows. The
// result is shared and must not be modified.
func (s *Set) Offered() events.ModelsOffered { return stateOf(s, spending).Offered }

// Spending returns the session's usage so far, line by line. The result is
// shared and must not be modified.
func (s *Set) Spending() []*SpendingLine { return stateOf(s, spending).Lines }
