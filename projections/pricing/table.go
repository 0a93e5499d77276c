package pricing

import (
	"slices"

	"manualslop/events"
)

// Table is what this program knows of models; the first row that fits counts, so
// that the particular stands before the general.
func Table() events.ModelsOffered {
	return events.ModelsOffered{Models: slices.Concat(anthropic(), gemini(), openai(), others())}
}

// row begins a row: limits in tokens, 0 where not known, and where they stand.
func row(provider, model string, window, reply int64, caching, source, day string,
	prices ...events.ModelPrice) events.ModelOffer {
	for i := range prices {
		p := &prices[i]
		p.ID = provider + "/" + model
		if p.ValidFrom != "" {
			p.ID += "@" + p.ValidFrom
		}
		if p.PromptOver > 0 {
			p.ID += ">"
		}
		p.Source, p.AsOf = source, day
	}
	return events.ModelOffer{Provider: provider, Model: model, ContextWindow: window, MaxOutputTokens: reply,
		Caching: caching, Prices: prices, Source: source, AsOf: day}
}

// limitsAt is a row whose limits stand on another page than its prices.
func limitsAt(o events.ModelOffer, source, day string) events.ModelOffer {
	o.Source, o.AsOf = source, day
	return o
}

// usd is a price in whole micro-dollars per million tokens.
func usd(input, output int64) events.ModelPrice {
	return events.ModelPrice{Input: input, Output: output}
}

// read adds the price of tokens that come out of a cache that fills by itself:
// putting them there costs what reading them anew does.
func read(p events.ModelPrice, cached int64) events.ModelPrice {
	p.CacheRead = &cached
	return p
}

// written adds to a price with [read] that filling the cache costs 1.25 times the input.
func written(p events.ModelPrice) events.ModelPrice {
	write := p.Input / 4 * 5
	p.CacheWrite5m = &write
	return p
}

// from is a price that holds from a day on.
func from(day string, p events.ModelPrice) events.ModelPrice {
	p.ValidFrom = day
	return p
}

// over is a price of prompts of more tokens than so many.
func over(tokens int64, p events.ModelPrice) events.ModelPrice {
	p.PromptOver = tokens
	return p
}

// marked is a price with that of a cache which the request marks: what is put
// there for five minutes costs 1.25 times the input, for an hour twice.
func marked(input, output, cached int64) events.ModelPrice {
	short, hour := input/4*5, input*2
	return events.ModelPrice{Input: input, Output: output, CacheRead: &cached, CacheWrite5m: &short, CacheWrite1h: &hour}
}
