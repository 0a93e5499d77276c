package llm

import (
	"unicode/utf8"

	"manualslop/events"
)

// runesPerToken is the rule of thumb that every estimate uses.
const runesPerToken = 4

// Estimate estimates the usage of a request and its reply at four characters per token, for
// providers that report none. The result is marked as estimated.
func Estimate(r Request, reply string) events.Usage {
	var in int64
	for _, m := range r.Messages {
		for _, b := range m.Blocks {
			in += runes(b)
		}
	}
	for _, t := range r.Tools {
		in += count(t.Name) + count(t.Description) + count(string(t.Schema))
	}
	return events.Usage{Input: tokens(in), Output: tokens(count(reply)), Estimated: true}
}

func count(s string) int64 { return int64(utf8.RuneCountInString(s)) }

func tokens(runes int64) int64 { return (runes + runesPerToken - 1) / runesPerToken }
