package program

import (
	"slices"

	"manualslop/tiers/llm"
)

// Plausible reports whether all token counts are between 0 and llm.MaxTokens, so that sums of a
// few of them cannot overflow.
func Plausible(counts ...int64) bool {
	return !slices.ContainsFunc(counts, func(n int64) bool { return n < 0 || n > llm.MaxTokens })
}
