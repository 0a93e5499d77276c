package aggregation

import (
	"strconv"

	"manualslop/hookgw/wire"
)

// Figures returns the headings of three columns: tokens, and their cost as input without and with a cache.
func Figures() []string { return []string{"TOKENS", "USD", "CACHED"} }

// FiguresOf returns the three columns of a part.
func FiguresOf(p wire.ContextPart) []string {
	return []string{strconv.FormatInt(p.Tokens, 10), dollars(p.USD), dollars(p.USDCached)}
}

// FiguresOfAll returns the three columns of the whole context.
func FiguresOfAll(c wire.ContextPreview) []string {
	return []string{strconv.FormatInt(c.Tokens, 10), dollars(c.USD), dollars(c.USDCached)}
}

// dollars formats a price, or a dash for an unknown price.
func dollars(usd *float64) string {
	if usd == nil {
		return "-"
	}
	return strconv.FormatFloat(*usd, 'f', 6, 64)
}
