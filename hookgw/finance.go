package hookgw

import (
	"cmp"
	"slices"
	"strconv"
	"time"

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
	Unpriced []string        `json:"unpriced_models"`
	Prices   []pricing.Price `json:"prices"` // every known one, with date and source
}

// Spend is what was used, and what it cost.
type Spend struct {
	Requests         int   `json:"requests"`
	Failed           int   `json:"failed"`
	InputTokens      int64 `json:"input_tokens"`
	OutputTokens     int64 `json:"output_tokens"`
	CacheReadTokens  int64 `json:"cache_read_tokens"`
	CacheWriteTokens int64 `json:"cache_write_tokens"`
	Estimated        bool  `json:"estimated"` // some counts were not reported but estimated
	// CostMicroDollars is null where a part of it has no known price; Priced is the
	// part that has.
	CostMicroDollars   *int64 `json:"cost_micro_dollars"`
	PricedMicroDollars int64  `json:"priced_micro_dollars"`
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

func (s *Spend) add(u projections.Usage, p pricing.Price, known bool) {
	var one Spend
	one.Requests, one.Failed, one.Estimated = u.Requests, u.Failed, u.Estimated
	one.InputTokens, one.OutputTokens, one.CacheReadTokens, one.CacheWriteTokens = u.Input, u.Output, u.CacheRead, u.CacheWrite
	one.sum.Add(pricing.Tokens{Input: u.Input, Output: u.Output, CacheRead: u.CacheRead, CacheWrite: u.CacheWrite}, p, known)
	s.merge(&one)
}

func (s *Spend) merge(o *Spend) {
	s.Requests += o.Requests
	s.Failed += o.Failed
	s.InputTokens += o.InputTokens
	s.OutputTokens += o.OutputTokens
	s.CacheReadTokens += o.CacheReadTokens
	s.CacheWriteTokens += o.CacheWriteTokens
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

// finances prices what a session used.
func finances(lines []*projections.SpendingLine, prices []pricing.Price) Financial {
	out := Financial{Currency: "USD", Unpriced: []string{}, Prices: prices}
	var tracks, tickets, tiers, models spendTable
	for _, l := range lines {
		price, known := pricing.Of(prices, l.Model)
		name := l.Provider + "/" + l.Model
		if !known && !slices.Contains(out.Unpriced, name) {
			out.Unpriced = append(out.Unpriced, name)
		}
		track := tracks.item(l.Track, "")
		for _, p := range l.History {
			point := SpendPoint{At: p.At}
			point.add(p.Usage, price, known)
			track.History = append(track.History, point)
		}
		for _, s := range []*Spend{&out.Session, &track.Spend, &tiers.item(strconv.Itoa(l.Tier), "").Spend, &models.item(name, "").Spend} {
			s.add(l.Usage, price, known)
		}
		if l.Ticket != "" {
			tickets.item(l.Ticket, l.Track).add(l.Usage, price, known)
		}
	}
	out.Session.settle()
	out.Tracks, out.Tickets, out.Tiers, out.Models = tracks.list(), tickets.list(), tiers.list(), models.list()
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
