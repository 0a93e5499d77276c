package llmtest

import "manualslop/events"

// prefixes is the set of prompt prefixes that a vendor has cached.
type prefixes struct{ known map[string]bool }

// chain returns the digests of a prompt's prefixes: of its first piece, of its first two, and so
// on. All of them also depend on root.
func chain(root string, pieces []string) []string {
	out := make([]string, len(pieces))
	at := events.Digest([]byte(root))
	for i, p := range pieces {
		at = events.Digest([]byte(at + p))
		out[i] = at
	}
	return out
}

// has reports whether the prefix with this digest is cached.
func (p *prefixes) has(digest string) bool { return p.known[digest] }

// put adds the prefix with this digest to the cache.
func (p *prefixes) put(digest string) {
	if p.known == nil {
		p.known = map[string]bool{}
	}
	p.known[digest] = true
}

// cacheStep is the unit in which OpenAI caches, in tokens.
const cacheStep = 128

// maxRemembered limits the number of prompts that are remembered.
const maxRemembered = 256

// steps is an automatic cache: the longest prefix that a prompt shares with an earlier one is read
// from the cache, in whole steps.
type steps struct {
	least int64 // number of tokens below which nothing is cached
	known []string
}

// count returns the usage of a prompt and adds the prompt to the cache.
func (s *steps) count(prompt string) events.Usage {
	longest := 0
	for _, before := range s.known {
		longest = max(longest, commonPrefix(before, prompt))
	}
	if len(s.known) < maxRemembered {
		s.known = append(s.known, prompt)
	}
	read := int64(longest) / charsPerToken / cacheStep * cacheStep
	if read < s.least {
		read = 0
	}
	return events.Usage{Input: tokens(prompt) - read, CacheRead: read}
}

// commonPrefix returns the length of the common prefix.
func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
