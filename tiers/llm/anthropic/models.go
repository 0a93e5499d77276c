package anthropic

import (
	"slices"
	"strings"
)

// family describes what a group of models accepts; see
// https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking.
type family struct {
	// names are the prefixes of the family's model names.
	names []string
	// budget: it thinks within a token budget; adaptive: it decides itself, at a given effort;
	// neither: it does not think.
	budget, adaptive bool
	// off: thinking can be switched off explicitly.
	off bool
	// binds: the API rejects a thinking block if anything before it changed; see [dropping].
	binds bool
	// interleaves: it can think between calls, if [interleaved] is enabled.
	interleaves bool
	// samples: it accepts temperature or top_p while it does not think.
	samples bool
	// both: it accepts temperature and top_p together.
	both bool
	// blind: it accepts no images.
	blind bool
}

// interleaved is the beta that lets models with a thinking budget think between calls; adaptive
// ones do so anyway. See
// https://platform.claude.com/docs/en/build-with-claude/extended-thinking#interleaved-thinking.
const interleaved = "interleaved-thinking-2025-05-14"

// dropping is the beta with which the API drops thinking blocks whose preceding conversation has
// changed. The conversation always changes, because the block of changed files moves with each
// request. See https://platform.claude.com/docs/en/build-with-claude/preserved-thinking.
const dropping = "thinking-binding-controls-2026-08-01"

// families returns the models that differ from the newest ones.
func families() []family {
	return []family{
		{names: []string{"claude-3-7-"}, budget: true, off: true, samples: true, both: true},
		{names: []string{"claude-2", "claude-instant"}, samples: true, both: true, blind: true},
		{names: []string{"claude-3-"}, samples: true, both: true},
		{names: []string{"claude-opus-4-5", "claude-sonnet-4-5", "claude-haiku-4-5", "claude-opus-4-1", "claude-opus-4-0",
			"claude-opus-4-2", "claude-sonnet-4-0", "claude-sonnet-4-2"}, budget: true, interleaves: true, off: true,
			samples: true},
		{names: []string{"claude-opus-4-6", "claude-sonnet-4-6"}, adaptive: true, off: true, samples: true},
		{names: []string{"claude-opus-5-", "claude-sonnet-5-", "claude-fable-5-", "claude-mythos-5-"}, adaptive: true,
			binds: true},
		{names: []string{"claude-opus-4-7", "claude-opus-4-8", "claude-opus-5", "claude-sonnet-5"}, adaptive: true,
			off: true},
		{names: []string{"claude-fable-5", "claude-mythos-5", "claude-mythos-preview"}, adaptive: true},
		{names: []string{"claude-"}, adaptive: true, binds: true},
	}
}

// familyOf returns a model's family. Models of other vendors with the same API are assumed to
// support only its oldest form.
func familyOf(model string) family {
	for _, f := range families() {
		if slices.ContainsFunc(f.names, func(n string) bool { return strings.HasPrefix(model, n) }) {
			return f
		}
	}
	return family{budget: true, off: true, samples: true, both: true}
}

// Thinking budgets, in tokens.
const (
	minBudget = 1024   // the API's minimum
	maxBudget = 48_000 // the vendor recommends more only for batches
)

// budget returns how many tokens of a reply of at most room tokens may be spent on thinking: an
// eighth, a quarter or three quarters of it; 0 if there is not enough room.
func budget(effort string, room int) int {
	eighths := map[string]int{"low": 1, "medium": 2, "high": 6}[effort]
	if eighths == 0 || room*6/8 < minBudget {
		return 0
	}
	return min(max(room*eighths/8, minBudget), maxBudget)
}
