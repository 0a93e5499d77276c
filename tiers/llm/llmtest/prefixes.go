package llmtest

import "manualslop/events"

// prefixes remembers which beginnings of prompts a vendor has cached.
type prefixes struct{ known map[string]bool }

// chain is the digests of a prompt's beginnings: of its first piece, of its
// first two, and so on. root is what every one of them depends on.
func chain(root string, pieces []string) []string {
	out := make([]string, len(pieces))
	at := events.Digest([]byte(root))
	for i, p := range pieces {
		at = events.Digest([]byte(at + p))
		out[i] = at
	}
	return out
}

// has tells whether the beginning with this digest is cached.
func (p *prefixes) has(digest string) bool { return p.known[digest] }

// put caches it.
func (p *prefixes) put(digest string) {
	if p.known == nil {
		p.known = map[string]bool{}
	}
	p.known[digest] = true
}
