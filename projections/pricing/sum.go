package pricing

import "manualslop/events"

// Sum adds up costs. The zero value is a known cost of zero.
type Sum struct {
	cost     events.Pico // of tokens with a known price
	original events.Pico // as the original system counts: input and output only
	unknown  bool        // some tokens had no known price
}

// Add adds the cost of tokens at a price; nil means that the price is unknown. Cached tokens with
// an unknown price make the sum incomplete; the other tokens are still added.
func (s *Sum) Add(u events.Usage, p *events.ModelPrice) {
	if p == nil {
		s.unknown = s.unknown || u.Input > 0 || u.Output > 0 || u.CacheRead > 0 || u.CacheWrite > 0
		return
	}
	plain, _ := p.Cost(events.Usage{Input: u.Input, Output: u.Output})
	all, whole := p.Cost(u)
	s.original, s.cost, s.unknown = s.original.Plus(plain), s.cost.Plus(all), s.unknown || !whole
}

// Merge adds another sum.
func (s *Sum) Merge(o Sum) {
	s.cost, s.original, s.unknown = s.cost.Plus(o.cost), s.original.Plus(o.original), s.unknown || o.unknown
}

// MicroDollars returns the sum, rounded to the nearest micro-dollar; false if a part of it is
// unknown.
func (s *Sum) MicroDollars() (int64, bool) { return s.cost.Micro(), !s.unknown }

// Priced returns the part of the sum whose price is known, in micro-dollars.
func (s *Sum) Priced() int64 { return s.cost.Micro() }

// Dollars returns the sum as the original system computes it: a float in which models without a
// price and all cached tokens cost nothing.
func (s *Sum) Dollars() float64 { return float64(s.original) / 1e12 }
