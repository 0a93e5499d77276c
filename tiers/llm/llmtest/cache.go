package llmtest

import "manualslop/events"

// prefixes remembers which beginnings of prompts a vendor has cached.
type prefixes struct{ known map[string]bool }

// chain returns the digests of a prompt's beginnings: of its first piece, of
// its first two, and so on. root is what every one of them depends on.
func chain(root string, pieces []string) []string {
	out := make([]string, len(pieces))
	at := events.Digest([]byte(root))
	for i, p := range pieces {
		at = events.Digest([]byte(at + p))
		out[i] = at
	}
	return out
}

// has reports whether the beginning with this digest is cached.
func (p *prefixes) has(digest string) bool { return p.known[digest] }

// put caches it.
func (p *prefixes) put(digest string) {
	if p.known == nil {
		p.known = map[string]bool{}
	}
	p.known[digest] = true
}

// cacheStep is the number of tokens in whose steps OpenAI caches.
const cacheStep = 128

// maxRemembered limits the prompts that are remembered.
const maxRemembered = 256

// steps is a cache that nobody asks for: the longest beginning that a prompt
// shares with one before it is read from the cache, in whole steps.
type steps struct {
	least int64 // tokens below which nothing is cached
	known []string
}

// count returns the usage of a prompt, which is cached from now on.
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

// commonPrefix returns the length of the common beginning.
func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
