package llm

import (
	"math"

	"manualslop/events"
)

// credible returns a reported usage forced into a range that can be added up and paid for: each
// count between 0 and MaxTokens, no part larger than its whole, the cost between 0 and MaxCost. A
// usage that had to be changed is marked as estimated.
func credible(u events.Usage) events.Usage {
	out := u
	for _, n := range []*int64{&out.Input, &out.Output, &out.CacheRead, &out.CacheWrite, &out.CacheWriteHour,
		&out.Thinking} {
		*n = min(max(*n, 0), MaxTokens)
	}
	out.CacheWriteHour, out.Thinking = min(out.CacheWriteHour, out.CacheWrite), min(out.Thinking, out.Output)
	if c := u.CostMicroDollars; c != nil && (*c < 0 || *c > MaxCost) {
		out.CostMicroDollars = nil
	}
	if out != u {
		out.Estimated = true
	}
	return out
}

// MicroDollars converts a vendor's cost in dollars to whole micro-dollars, rounded up. It returns
// nil if the cost is missing or cannot be right.
func MicroDollars(dollars *float64) *int64 {
	if dollars == nil || !(*dollars >= 0 && *dollars <= MaxCost/1e6) { // also rejects NaN
		return nil
	}
	const slip = 1e-6 // tolerance for values without an exact binary form
	micro := int64(math.Ceil(*dollars*1e6 - slip))
	return &micro
}
