package pricing

import "math"

// Tokens are what is paid for. Negative counts count as none.
type Tokens struct{ Input, Output, CacheRead, CacheWrite int64 }

// Sum adds up costs. The zero value is nothing, at a known price.
type Sum struct {
	pico     int64 // of what has a known price
	original int64 // as the original counts: input and output only
	unknown  bool  // something had no known price
}

// Add adds tokens at a price; known is false where the model has none. Tokens of
// a cache whose price is not known make the sum unknown, and the others count.
func (s *Sum) Add(t Tokens, p Price, known bool) {
	if !known {
		s.unknown = s.unknown || t.Input > 0 || t.Output > 0 || t.CacheRead > 0 || t.CacheWrite > 0
		return
	}
	plain := plus(times(t.Input, p.Input), times(t.Output, p.Output))
	s.original = plus(s.original, plain)
	s.pico = plus(s.pico, plain)
	s.cached(t.CacheRead, p.CacheRead)
	s.cached(t.CacheWrite, p.CacheWrite)
}

func (s *Sum) cached(tokens int64, price *int64) {
	switch {
	case tokens <= 0:
	case price == nil:
		s.unknown = true
	default:
		s.pico = plus(s.pico, times(tokens, *price))
	}
}

// Merge adds another sum.
func (s *Sum) Merge(o Sum) {
	s.pico, s.original, s.unknown = plus(s.pico, o.pico), plus(s.original, o.original), s.unknown || o.unknown
}

// MicroDollars is the whole sum, rounded to the nearest; false where a part of it
// is not known.
func (s *Sum) MicroDollars() (int64, bool) { return round(s.pico), !s.unknown }

// Priced is the part of the sum whose price is known, in micro-dollars.
func (s *Sum) Priced() int64 { return round(s.pico) }

// Dollars is the sum as the original counts it: a float, in which a model without
// a price costs 0.0 and a cache nothing.
func (s *Sum) Dollars() float64 { return float64(s.original) / 1e12 }

// round turns pico-dollars into micro-dollars.
func round(pico int64) int64 {
	const micro = 1_000_000
	return pico/micro + (pico%micro+micro/2)/micro
}

// plus and times stay at the largest value instead of turning over; their
// arguments are not negative, or count as 0.
func plus(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

func times(a, b int64) int64 {
	if a <= 0 || b <= 0 {
		return 0
	}
	if a > math.MaxInt64/b {
		return math.MaxInt64
	}
	return a * b
}
