package llmtest

import "manualslop/events"

// cacheStep is the number of tokens in whose steps OpenAI caches.
const cacheStep = 128

// maxRemembered bounds the prompts that are remembered.
const maxRemembered = 256

// steps is a cache that nobody asks for: the longest beginning that a prompt
// shares with one before it is read from the cache, in whole steps.
type steps struct {
	least int64 // tokens below which nothing is cached
	known []string
}

// count is the usage of a prompt, which is cached from now on.
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

// commonPrefix is the length of the common beginning.
func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}
