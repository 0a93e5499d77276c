package approval

import (
	"maps"
	"slices"

	"manualslop/events"
	"manualslop/tiers/tokens"
)

// budgetPrice is the kind of an ask about an unknown price.
const budgetPrice = "price"

// budget identifies a budget or, for the kind price, a model.
type budget struct{ kind, of string }

// ofSession returns the budget of the whole session.
func ofSession() budget { return budget{kind: events.BudgetSession} }

// money tracks what the session has spent and may spend. It exists only if a budget is set; then
// requests are guarded.
type money struct {
	offered  events.ModelsOffered
	prompts  *tokens.Prompts
	limits   map[budget]events.Pico // of the session, and of tickets with a limit of their own
	each     events.Pico            // of every other ticket; 0 means no limit
	spent    map[budget]events.Pico
	reserved map[budget]events.Pico // for requests in progress
	flight   map[string]*charge     // approved and not answered, by request
	waiting  []*charge              // neither approved nor denied, oldest first
	open     []openBudget           // open asks, oldest first
	stopped  map[budget]stop
	accepted map[string]bool // models that a user allowed although their price is unknown
	finish   map[string]bool // tickets that a user allowed to exceed every budget
	warned   map[budget]bool
}

// openBudget is a budget with an open ask.
type openBudget struct {
	budget budget
	ask    string
}

// stop is the reason why nothing more may be spent from a budget.
type stop struct{ reason, by, ask string }

// charge is one guarded request.
type charge struct {
	id, ticket      string
	attempt         int
	request         events.ModelRequested
	prompt, reply   int64  // maximum tokens
	unsound         string // why its prompt cannot be assembled; empty if it can
	asked           *events.Event
	worst           events.Pico
	price           string // id
	known           bool   // whether its maximum cost is known
	provider, model string
}

func newMoney(s *events.BudgetSettings) *money {
	m := &money{
		prompts: tokens.NewPrompts(), limits: map[budget]events.Pico{}, each: events.FromMicro(s.TicketMicroDollars),
		spent: map[budget]events.Pico{}, reserved: map[budget]events.Pico{}, flight: map[string]*charge{},
		stopped:  map[budget]stop{},
		accepted: map[string]bool{}, finish: map[string]bool{}, warned: map[budget]bool{},
	}
	if s.SessionMicroDollars > 0 {
		m.limits[ofSession()] = events.FromMicro(s.SessionMicroDollars)
	}
	return m
}

// limit returns the limit of a budget; 0 means none.
func (m *money) limit(b budget) events.Pico {
	if limit, own := m.limits[b]; own || b.kind != events.BudgetTicket {
		return limit
	}
	return m.each
}

// budgets returns the budgets with a limit that a charge belongs to.
func (m *money) budgets(c *charge) []budget {
	var out []budget
	for _, b := range []budget{ofSession(), {events.BudgetTicket, c.ticket}} {
		if m.limit(b) > 0 && (b.kind == events.BudgetSession || b.of != "") {
			out = append(out, b)
		}
	}
	return out
}

// all returns all budgets of a charge, including those without a limit.
func (c *charge) all() []budget {
	return []budget{ofSession(), {events.BudgetTicket, c.ticket}}
}

// foldMoney folds model requests and their costs.
func (s *State) foldMoney(e *events.Event) {
	m := s.money
	if m == nil {
		return
	}
	asked, isRequest := e.Payload.(events.ModelRequested)
	if isRequest {
		s.charge(e, asked)
		return
	}
	m.prompts.Take(e)
	switch p := e.Payload.(type) {
	case events.ModelsOffered:
		m.offered = p
		for _, c := range m.waiting {
			m.price(c)
		}
		s.admit(e)
	case events.ModelReplied:
		s.paidFor(e, p.Request, &p.Usage)
	case events.ModelFailed:
		s.paidFor(e, p.Request, p.Usage)
	case events.ContextBuilt:
		if r := p.Retrieved; r != nil && r.Usage != nil {
			c := &charge{ticket: r.Ticket, provider: r.Provider, model: r.Model, asked: e}
			s.spent(e, c, m.cost(c, r.Usage))
		}
	case events.BudgetRaiseRequested:
		s.raiseRequested(e, p)
	}
}

// charge measures a request and, if it is guarded, checks it against its
// budgets.
func (s *State) charge(e *events.Event, p events.ModelRequested) {
	m := s.money
	c := &charge{id: e.ID, ticket: p.Ticket, attempt: p.TicketAttempt, request: p, asked: e, provider: p.Provider,
		model: p.Model}
	most, err := m.prompts.Ask(e.ID, &p)
	if c.prompt = most; err != nil {
		// our words: events.Prompts writes this text.
		c.unsound = err.Error()
	}
	if p.Guarded {
		m.price(c)
		m.waiting = append(m.waiting, c)
		s.admit(e)
	}
}

// price computes the maximum cost of a charge.
func (m *money) price(c *charge) {
	offer, _ := m.offered.Find(c.provider, c.model)
	price, known := offer.Price(c.asked.Time, c.prompt)
	c.reply = tokens.Reply(c.request.Params, offer)
	c.price, c.known, c.worst = price.ID, known, price.Dearest(c.prompt, c.reply)
}

// paidFor handles the first outcome of an approved request: it releases the reservation and adds
// the actual cost. If the vendor reported a higher cost, that counts.
func (s *State) paidFor(e *events.Event, request string, u *events.Usage) {
	m := s.money
	c := m.flight[request]
	if c == nil {
		return
	}
	delete(m.flight, request)
	for _, b := range c.all() {
		m.reserved[b] -= c.worst
	}
	s.spent(e, c, m.cost(c, u))
}

// spent adds the cost of a charge to its budgets. Embeddings are paid without having been admitted: a
// worker knows only then how many it needs, and they cost little.
func (s *State) spent(e *events.Event, c *charge, cost events.Pico) {
	m := s.money
	for _, b := range c.all() {
		m.spent[b] = m.spent[b].Plus(cost)
	}
	for _, b := range m.budgets(c) {
		if limit := m.limit(b); !m.warned[b] && m.spent[b] >= limit/5*4 {
			m.warned[b] = true
			s.owe(events.BudgetWarned{Budget: b.kind, Ticket: b.of, LimitMicroDollars: limit.Micro(),
				SpentMicroDollars: m.spent[b].Micro()})
		}
	}
	s.admit(e)
}

func (m *money) cost(c *charge, u *events.Usage) events.Pico {
	if u == nil {
		return 0
	}
	var cost events.Pico
	if price, known := m.offered.Price(c.provider, c.model, c.asked.Time, u.Prompt()); known {
		whole := false
		if cost, whole = price.Cost(*u); !whole {
			cost = price.Dearest(u.Prompt(), u.Output)
		}
	}
	if u.CostMicroDollars != nil {
		cost = max(cost, events.FromMicro(*u.CostMicroDollars))
	}
	return cost
}

// raiseRequested raises a limit at a user's request. It changes nothing if the budget does not
// exist or the limit is not higher.
func (s *State) raiseRequested(e *events.Event, p events.BudgetRaiseRequested) {
	b := budget{p.Budget, p.Ticket}
	limit := events.FromMicro(p.LimitMicroDollars)
	sound := b == ofSession() || b.kind == events.BudgetTicket && b.of != "" && len(b.of) <= events.MaxToken
	if !sound || p.LimitMicroDollars > events.MaxBudget || s.money.limit(b) == 0 || limit <= s.money.limit(b) {
		return
	}
	s.raiseLimit(b, limit, e.Actor, "")
	s.admit(e)
}

func (s *State) raiseLimit(b budget, limit events.Pico, by, ask string) {
	m := s.money
	m.limits[b] = limit
	delete(m.stopped, b)
	delete(m.warned, b)
	s.owe(events.BudgetRaised{Budget: b.kind, Ticket: b.of, LimitMicroDollars: limit.Micro(), By: by, Ask: ask})
}

// isOpen reports whether there is an open ask about a budget.
func (m *money) isOpen(b budget) bool {
	return slices.ContainsFunc(m.open, func(o openBudget) bool { return o.budget == b })
}

// tickets returns the sorted ids of the tickets that may exceed every budget.
func (m *money) tickets() []string { return slices.Sorted(maps.Keys(m.finish)) }
