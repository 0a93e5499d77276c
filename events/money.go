package events

import "math"

// Pico is an amount of money in pico-dollars, millionths of a micro-dollar: the
// price of one token is a whole number of them, so sums are exact. It is never
// negative, and one too large for its type stays at the largest value.
type Pico int64

// Plus is the sum of two amounts.
func (p Pico) Plus(o Pico) Pico {
	p, o = max(p, 0), max(o, 0)
	if p > math.MaxInt64-o {
		return math.MaxInt64
	}
	return p + o
}

// Micro is the amount in micro-dollars, rounded to the nearest.
func (p Pico) Micro() int64 {
	const micro = 1_000_000
	return int64(p/micro + (p%micro+micro/2)/micro)
}

// FromMicro is an amount of micro-dollars; a negative one is nothing.
func FromMicro(micro int64) Pico { return Pay(micro, 1_000_000) }

// Pay is what tokens cost at a price in micro-dollars per million tokens, which
// is the same number as pico-dollars per token. Negative numbers count as none.
func Pay(tokens, price int64) Pico {
	switch {
	case tokens <= 0 || price <= 0:
		return 0
	case tokens > math.MaxInt64/price:
		return math.MaxInt64
	}
	return Pico(tokens * price)
}
