package program

import (
	"slices"

	"manualslop/tiers/llm"
)

// Plausible reports whether counts of tokens are none below 0 and none over
// llm.MaxTokens, so that sums of some of them are counts, too.
func Plausible(counts ...int64) bool {
	return !slices.ContainsFunc(counts, func(n int64) bool { return n < 0 || n > llm.MaxTokens })
}
