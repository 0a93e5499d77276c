package anthropic

import (
	"slices"
	"strings"
)

// family is what a model takes; see
// https://platform.claude.com/docs/en/build-with-claude/adaptive-thinking.
type family struct {
	// names are prefixes of its models.
	names []string
	// budget: it thinks within a budget of tokens; adaptive: as it sees fit, at
	// an effort; neither: it does not think.
	budget, adaptive bool
	// off: thinking can be switched off by name.
	off bool
	// binds: a thought is refused where anything before it changed; see [dropping].
	binds bool
	// interleaves: it thinks between calls if [interleaved] says so.
	interleaves bool
	// samples: it takes temperature or top_p while it does not think.
	samples bool
	// both: it takes the two of them together.
	both bool
}

// interleaved is the beta by which models that think within a budget think between
// calls, too; adaptive ones do so by themselves. See
// https://platform.claude.com/docs/en/build-with-claude/extended-thinking#interleaved-thinking.
const interleaved = "interleaved-thinking-2025-05-14"

// dropping is the beta by which the API drops thoughts of models that bind them to
// the conversation before them, once that has changed. The block of changed files
// moves with each request, so it has. See
// https://platform.claude.com/docs/en/build-with-claude/preserved-thinking.
const dropping = "thinking-binding-controls-2026-08-01"

// families returns the models that differ from the newest ones.
func families() []family {
	return []family{
		{names: []string{"claude-3-7-"}, budget: true, off: true, samples: true, both: true},
		{names: []string{"claude-2", "claude-3-", "claude-instant"}, samples: true, both: true},
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

// familyOf finds a model's family. Models of other makers behind the same API
// are taken to know its oldest form.
func familyOf(model string) family {
	for _, f := range families() {
		if slices.ContainsFunc(f.names, func(n string) bool { return strings.HasPrefix(model, n) }) {
			return f
		}
	}
	return family{budget: true, off: true, samples: true, both: true}
}

// Budgets of thinking, in tokens.
const (
	minBudget = 1024   // the vendor's least
	maxBudget = 48_000 // more is for batches, as the vendor's page says
)

// budget returns how many tokens of a reply of at most room may be thought: an
// eighth, a quarter or three quarters of it; 0 if there is no room to think in.
func budget(effort string, room int) int {
	eighths := map[string]int{"low": 1, "medium": 2, "high": 6}[effort]
	if eighths == 0 || room*6/8 < minBudget {
		return 0
	}
	return min(max(room*eighths/8, minBudget), maxBudget)
}
