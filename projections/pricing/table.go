package pricing

import (
	"slices"

	"manualslop/events"
)

// embeddings returns rows for models that turn text into vectors, so that retrieval has a cost. They write no tokens.
func embeddings() []events.ModelOffer {
	const page, day = "https://developers.openai.com/api/docs/models/text-embedding-3-large", "2026-11-27"
	const google = "https://opencode.ai/data/google/gemini-embedding-001.json and developers.googleblog.com"
	return []events.ModelOffer{
		row("openai", "text-embedding-3-small", 8192, 0, "", page, day, usd(20_000, 0)),
		row("openai", "text-embedding-3-large", 8192, 0, "", page, day, usd(130_000, 0)),
		row("gemini", "gemini-embedding-001", 2048, 0, "", google, day, usd(150_000, 0)),
	}
}

// Table returns the models that this program knows. The first matching row counts, so specific rows come before
// general ones.
func Table() events.ModelsOffered {
	return events.ModelsOffered{Models: slices.Concat(anthropic(), gemini(), openai(), others(), embeddings())}
}

// row returns a row with limits in tokens, 0 if unknown, and their source.
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

// limitsAt returns a row whose limits come from a different page than its prices.
func limitsAt(o events.ModelOffer, source, day string) events.ModelOffer {
	o.Source, o.AsOf = source, day
	return o
}

// usd returns a price in whole micro-dollars per million tokens.
func usd(input, output int64) events.ModelPrice {
	return events.ModelPrice{Input: input, Output: output}
}

// read adds the price of tokens read from an automatic cache, for which writing costs the normal
// input price.
func read(p events.ModelPrice, cached int64) events.ModelPrice {
	p.CacheRead = &cached
	return p
}

// written adds to a price made by [read] that writing to the cache costs 1.25 times the input
// price.
func written(p events.ModelPrice) events.ModelPrice {
	write := p.Input / 4 * 5
	p.CacheWrite5m = &write
	return p
}

// from returns a price that applies from a day on.
func from(day string, p events.ModelPrice) events.ModelPrice {
	p.ValidFrom = day
	return p
}

// over returns a price for prompts with more than the given number of tokens.
func over(tokens int64, p events.ModelPrice) events.ModelPrice {
	p.PromptOver = tokens
	return p
}

// marked returns a price for models whose cache is controlled by marks in the request: writing for
// five minutes costs 1.25 times the input price, for an hour twice the input price.
func marked(input, output, cached int64) events.ModelPrice {
	short, hour := input/4*5, input*2
	return events.ModelPrice{Input: input, Output: output, CacheRead: &cached, CacheWrite5m: &short, CacheWrite1h: &hour}
}
