package llmtest

import (
	"strings"

	"manualslop/events"
)

// minimum is the tokens below which a prompt of the model is not cached.
func (g *gemini) minimum(model string) int64 {
	switch {
	case g.min > 0:
		return g.min
	case strings.HasPrefix(model, "gemini-2.5"):
		return 2048
	}
	return 4096
}

// cacheBlock is in whose steps the API finds a beginning again, in bytes: it
// caches tokens and not parts.
const cacheBlock = 1024

// blocks are pieces cut into steps.
func blocks(pieces []string) []string {
	var out []string
	for _, p := range pieces {
		for len(p) > cacheBlock {
			out, p = append(out, p[:cacheBlock]), p[cacheBlock:]
		}
		out = append(out, p)
	}
	return out
}

// count finds the longest beginning of the prompt that was in one before, which
// the API reads from its implicit cache.
func (g *gemini) count(v View) events.Usage {
	q, _ := v.wire.(*geminiRequest)
	pieces := blocks(q.pieces())
	var size, cached int64
	for i, digest := range chain(q.model, pieces) {
		size += tokens(pieces[i])
		if size >= g.minimum(q.model) {
			if g.seen.has(digest) {
				cached = size
			}
			g.seen.put(digest)
		}
	}
	return events.Usage{Input: size - cached, CacheRead: cached}
}
