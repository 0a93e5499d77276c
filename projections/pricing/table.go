package pricing

import "strings"

// Price is what a model's tokens cost, in micro-dollars per million tokens, which
// is the same number as pico-dollars per token.
type Price struct {
	// Words must all occur in the model's id, in lower case.
	Words  []string `json:"words"`
	Input  int64    `json:"input_micro_dollars_per_mtok"`
	Output int64    `json:"output_micro_dollars_per_mtok"`
	// CacheRead and CacheWrite are those of a provider's cache; null: not known.
	CacheRead  *int64 `json:"cache_read_micro_dollars_per_mtok"`
	CacheWrite *int64 `json:"cache_write_micro_dollars_per_mtok"`
	// AsOf is the day on which Source said so.
	AsOf   string `json:"as_of"`
	Source string `json:"source"`
}

// Table lists the known prices; the first row that fits a model counts, so that
// the particular stands before the general.
func Table() []Price {
	const day, source = "2026-03-06", "the original's table of that day"
	row := func(input, output int64, words ...string) Price {
		return Price{Words: words, Input: input, Output: output, AsOf: day, Source: source}
	}
	return []Price{
		row(75_000, 300_000, "gemini-2.5-flash-lite"),
		row(150_000, 600_000, "gemini-2.5-flash"),
		row(150_000, 600_000, "gemini-3-flash-preview"),
		row(3_500_000, 10_500_000, "gemini-3.1-pro-preview"),
		row(3_000_000, 15_000_000, "claude", "sonnet"),
		row(270_000, 1_100_000, "deepseek-v3"),
	}
}

// Of is the price of a model; false where none is known.
func Of(table []Price, model string) (Price, bool) {
	model = strings.ToLower(model)
	for _, p := range table {
		fits := len(p.Words) > 0
		for _, word := range p.Words {
			fits = fits && strings.Contains(model, word)
		}
		if fits {
			return p, true
		}
	}
	return Price{}, false
}
