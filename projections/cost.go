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
