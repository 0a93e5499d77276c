package program

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"time"

	"manualslop/events"
	"manualslop/projections"
	"manualslop/projections/pricing"
)

// maxHistory is how many points of a track's history are shown; of a longer one
// each two neighbours are one until it fits.
const maxHistory = 128

// Financial is the body of GET /api/metrics/financial.
type Financial struct {
	Currency string    `json:"currency"` // of cost; *_micro_dollars are millionths of it
	Session  Spend     `json:"session"`
	Tracks   []SpendOf `json:"tracks"`  // the track "" is what belongs to none
	Tickets  []SpendOf `json:"tickets"` // only work that has one
	Tiers    []SpendOf `json:"tiers"`
	Models   []SpendOf `json:"models"` // by provider and model
	// Unpriced are the models without a known price; what they used is in no sum
	// of money, and makes the sums that it belongs to null.
	Unpriced []string `json:"unpriced_models"`
	// Prices are the limits and prices that hold for the session, with day and
	// source: those that it recorded, or the program's where it recorded none.
	Prices []events.ModelOffer `json:"prices"`
	Budget Budget              `json:"budget"`
}

// Budget is what the session may spend before a person is asked; a limit that is
// not set is null.
type Budget struct {
	LimitMicroDollars       *int64         `json:"limit_micro_dollars"`
	TicketLimitMicroDollars *int64         `json:"ticket_limit_micro_dollars"` // of each ticket
	UsedPct                 *float64       `json:"used_pct"`                   // of the session's limit, by known prices
	Warned                  bool           `json:"warned"`                     // four fifths of it were spent
	Tickets                 []TicketBudget `json:"tickets"`                    // those with a limit of their own
}

// TicketBudget is the limit of one ticket.
type TicketBudget struct {
	Ticket            string `json:"ticket"`
	LimitMicroDollars *int64 `json:"limit_micro_dollars"` // null: it may finish beyond every limit
}

// Spend is what was used, and what it cost.
type Spend struct {
	Requests         int   `json:"requests"`
	Failed           int   `json:"failed"`
	InputTokens      int64 `json:"input_tokens"`
	OutputTokens     int64 `json:"output_tokens"`
	CacheReadTokens  int64 `json:"cache_read_tokens"`
	CacheWriteTokens int64 `json:"cache_write_tokens"`
	// CacheWriteHourTokens are those of them that are kept for an hour.
	CacheWriteHourTokens int64 `json:"cache_write_hour_tokens"`
	Estimated            bool  `json:"estimated"` // some counts were not reported but estimated
	// CostMicroDollars is null where a part of it has no known price; Priced is the
	// part that has.
	CostMicroDollars   *int64 `json:"cost_micro_dollars"`
	PricedMicroDollars int64  `json:"priced_micro_dollars"`
	// ReportedMicroDollars is what providers themselves say that calls cost; only
	// some say so, and it is in no other sum.
	ReportedMicroDollars int64 `json:"reported_micro_dollars"`
	// Cost is the original's float, in which an unknown price is 0.0.
	Cost float64 `json:"cost"`

	sum pricing.Sum
}

// SpendOf is the sum of one track, ticket, tier or model.
type SpendOf struct {
	ID    string `json:"id"`
	Track string `json:"track,omitempty"` // of a ticket
	Spend
	History []SpendPoint `json:"history,omitempty"` // of a track, oldest first
}

// SpendPoint is what was used up to a time and behind the point before.
type SpendPoint struct {
	At time.Time `json:"at"`
	Spend
}

func (s *Spend) add(u projections.Usage, p *events.ModelPrice) {
	var one Spend
	one.Requests, one.Failed, one.Estimated = u.Requests, u.Failed, u.Estimated
	one.InputTokens, one.OutputTokens, one.CacheReadTokens, one.CacheWriteTokens = u.Input, u.Output, u.CacheRead, u.CacheWrite
	one.CacheWriteHourTokens, one.ReportedMicroDollars = u.CacheWriteHour, u.Reported
	one.sum.Add(events.Usage{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite, CacheWriteHour: u.CacheWriteHour}, p)
	s.merge(&one)
}

func (s *Spend) merge(o *Spend) {
	s.Requests += o.Requests
	s.Failed += o.Failed
	s.InputTokens += o.InputTokens
	s.OutputTokens += o.OutputTokens
	s.CacheReadTokens += o.CacheReadTokens
	s.CacheWriteTokens += o.CacheWriteTokens
	s.CacheWriteHourTokens += o.CacheWriteHourTokens
	s.ReportedMicroDollars += o.ReportedMicroDollars
	s.Estimated = s.Estimated || o.Estimated
	s.sum.Merge(o.sum)
}

// settle turns the exact sum into the figures that are shown.
func (s *Spend) settle() {
	s.PricedMicroDollars, s.Cost, s.CostMicroDollars = s.sum.Priced(), s.sum.Dollars(), nil
	if micro, known := s.sum.MicroDollars(); known {
		s.CostMicroDollars = &micro
	}
}

// spendTable sums items by key, in the order of their first line.
type spendTable struct {
	items []SpendOf
	at    map[string]int
}

func (t *spendTable) item(id, track string) *SpendOf {
	key := track + "\x00" + id
	i, known := t.at[key]
	if !known {
		if t.at == nil {
			t.at = map[string]int{}
		}
		i = len(t.items)
		t.at[key] = i
		t.items = append(t.items, SpendOf{ID: id, Track: track})
	}
	return &t.items[i]
}

func (t *spendTable) list() []SpendOf {
	for i := range t.items {
		t.items[i].settle()
		t.items[i].History = shorten(t.items[i].History)
	}
	return append([]SpendOf{}, t.items...)
}

// finances prices what a session used, by what it recorded of models, else by
// the program's own table.
func finances(s *projections.Set, table events.ModelsOffered) Financial {
	if recorded := s.Offered(); len(recorded.Models) > 0 {
		table = recorded
	}
	out := Financial{Currency: "USD", Unpriced: []string{}, Prices: append([]events.ModelOffer{}, table.Models...)}
	var tracks, tickets, tiers, models spendTable
	for _, l := range s.Spending() {
		price := priceOf(l, table)
		name := l.Provider + "/" + l.Model
		if price == nil && !slices.Contains(out.Unpriced, name) {
			out.Unpriced = append(out.Unpriced, name)
		}
		track := tracks.item(l.Track, "")
		for _, p := range l.History {
			point := SpendPoint{At: p.At}
			point.add(p.Usage, price)
			track.History = append(track.History, point)
		}
		for _, s := range []*Spend{&out.Session, &track.Spend, &tiers.item(strconv.Itoa(l.Tier), "").Spend, &models.item(name, "").Spend} {
			s.add(l.Usage, price)
		}
		if l.Ticket != "" {
			tickets.item(l.Ticket, l.Track).add(l.Usage, price)
		}
	}
	out.Session.settle()
	out.Tracks, out.Tickets, out.Tiers, out.Models = tracks.list(), tickets.list(), tiers.list(), models.list()
	out.Budget = budgetOf(s.Budgets(), out.Session.PricedMicroDollars)
	return out
}

// priceOf is the price of a line; of one that was spent before its session
// recorded any prices, that of now.
func priceOf(l *projections.SpendingLine, table events.ModelsOffered) *events.ModelPrice {
	if l.Price != nil || len(l.History) == 0 {
		return l.Price
	}
	p, known := table.Price(l.Provider, l.Model, l.History[len(l.History)-1].At, 0)
	if !known {
		return nil
	}
	return &p
}

func budgetOf(b projections.Budgets, spent int64) Budget {
	limit := func(micro int64) *int64 {
		if micro <= 0 {
			return nil
		}
		return &micro
	}
	out := Budget{LimitMicroDollars: limit(b.Session), TicketLimitMicroDollars: limit(b.Ticket),
		Warned: slices.Contains(b.Warned, events.BudgetSession), Tickets: []TicketBudget{}}
	if b.Session > 0 {
		used := 100 * float64(spent) / float64(b.Session)
		out.UsedPct = &used
	}
	for _, ticket := range slices.Sorted(maps.Keys(b.Tickets)) {
		out.Tickets = append(out.Tickets, TicketBudget{ticket, limit(b.Tickets[ticket])})
	}
	for _, ticket := range b.Finishing {
		out.Tickets = append(out.Tickets, TicketBudget{Ticket: ticket})
	}
	return out
}

// shorten orders a history by time and joins neighbours until it fits.
func shorten(points []SpendPoint) []SpendPoint {
	slices.SortStableFunc(points, func(a, b SpendPoint) int { return cmp.Compare(a.At.UnixNano(), b.At.UnixNano()) })
	for len(points) > maxHistory {
		half := points[:0]
		for i := 0; i < len(points); i += 2 {
			pair := points[i]
			if i+1 < len(points) {
				pair.At = points[i+1].At
				pair.merge(&points[i+1].Spend)
			}
			half = append(half, pair)
		}
		points = half
	}
	for i := range points {
		points[i].settle()
	}
	return points
}
