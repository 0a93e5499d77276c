package llmtest

import (
	"strings"

	"manualslop/events"
)

// Cache rules: https://platform.claude.com/docs/en/build-with-claude/prompt-caching.
const (
	anthropicMarks    = 4
	anthropicLookBack = 20
)

// anthropicPiece is one block in cache order: tools, system, messages.
type anthropicPiece struct {
	raw  string
	mark *anthropicMark
}

func (q *anthropicRequest) pieces() []anthropicPiece {
	var out []anthropicPiece
	for _, t := range q.Tools {
		out = append(out, anthropicPiece{"tool " + t.Name + "\n" + t.Description + "\n" + string(t.InputSchema),
			t.CacheControl})
	}
	for _, b := range q.system {
		out = append(out, anthropicPiece{"system " + b.raw, b.CacheControl})
	}
	for i, m := range q.Messages {
		role := m.Role
		if i > 0 && q.Messages[i-1].Role == role {
			role = "" // adjacent messages of one role are one turn
		}
		for _, b := range m.blocks {
			out = append(out, anthropicPiece{role + " " + b.raw, b.CacheControl})
			role = ""
		}
	}
	return out
}

func checkAnthropicMarks(q *anthropicRequest) *refusal {
	marks, short := 0, false
	for _, p := range q.pieces() {
		if p.mark == nil {
			continue
		}
		marks++
		switch {
		case p.mark.Type != "ephemeral":
			return refuse("cache_control.type: Input should be 'ephemeral'")
		case p.mark.TTL != "" && p.mark.TTL != "5m" && p.mark.TTL != "1h":
			return refuse("cache_control.ephemeral.ttl: Input should be '5m' or '1h'")
		case p.mark.TTL == "1h" && short:
			return refuse("cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block")
		case marks > anthropicMarks:
			return refuse("A maximum of 4 blocks with cache_control may be provided.")
		}
		short = short || p.mark.TTL != "1h"
	}
	for _, m := range q.Messages {
		for _, b := range m.blocks {
			if b.CacheControl != nil && (b.Type == "thinking" || b.Type == "redacted_thinking") {
				return refuse("cache_control: Extra inputs are not permitted on " + b.Type + " blocks")
			}
		}
	}
	return nil
}

// anthropicCache is the vendor's prompt cache.
type anthropicCache struct {
	prefixes
	min int64 // minimum in tokens; 0: the model's
}

// minimum returns the number of tokens below which the model's prompts are not cached.
func (c *anthropicCache) minimum(model string) int64 {
	switch {
	case c.min > 0:
		return c.min
	case strings.Contains(model, "haiku-4-5"), strings.Contains(model, "opus-4-5"), strings.Contains(model, "opus-4-6"):
		return 4096
	case strings.Contains(model, "opus-4-7"):
		return 2048
	case strings.Contains(model, "-5-5"), strings.Contains(model, "opus-5"), strings.Contains(model, "fable"),
		strings.Contains(model, "mythos-5"):
		return 512
	}
	return 1024
}

// count finds the longest cached prefix that a breakpoint can use, and caches the prefixes that
// end at breakpoints.
func (a *anthropic) count(v View) events.Usage {
	q, _ := v.wire.(*anthropicRequest)
	pieces := q.pieces()
	texts := make([]string, len(pieces))
	sizes := make([]int64, len(pieces)) // size of the prompt up to each piece
	var size int64
	for i, p := range pieces {
		texts[i] = p.raw
		size += tokens(p.raw)
		sizes[i] = size
	}
	root := q.Model
	if q.Thinking != nil {
		root += "\n" + string(mustJSON(q.Thinking))
	}
	digests := chain(root, texts)
	u := events.Usage{Input: size}
	u.CacheRead = a.cache.read(pieces, digests, sizes)
	last := u.CacheRead
	for i, p := range pieces {
		if p.mark == nil || sizes[i] < a.cache.minimum(q.Model) {
			continue
		}
		a.cache.put(digests[i])
		if written := sizes[i] - last; written > 0 {
			u.CacheWrite += written
			if p.mark.TTL == "1h" {
				u.CacheWriteHour += written
			}
			last = sizes[i]
		}
	}
	u.Input -= u.CacheRead + u.CacheWrite
	return u
}

// read returns the tokens of the longest cached prefix that ends at a breakpoint or at one of the
// preceding blocks that it looks back to.
func (c *anthropicCache) read(pieces []anthropicPiece, digests []string, sizes []int64) (most int64) {
	for i, p := range pieces {
		if p.mark == nil {
			continue
		}
		for at := i; at >= 0 && at > i-anthropicLookBack; at-- {
			if c.has(digests[at]) {
				most = max(most, sizes[at])
				break
			}
		}
	}
	return most
}
