package llm

import (
	"math"

	"manualslop/events"
)

// credible returns what a provider reported, brought into the bounds in which
// counts can be added up and paid for: no count below 0 or over MaxTokens, no
// part over its whole, no cost below nothing or over MaxCost. What had to be
// changed is marked as estimated.
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

// MicroDollars returns a cost in dollars, as a vendor says it, in whole
// micro-dollars, rounded up; nil if there is none that could be true.
func MicroDollars(dollars *float64) *int64 {
	if dollars == nil || !(*dollars >= 0 && *dollars <= MaxCost/1e6) { // NaN too
		return nil
	}
	const slip = 1e-6 // of numbers that have no exact binary form
	micro := int64(math.Ceil(*dollars*1e6 - slip))
	return &micro
}
