package program

import (
	"time"

	"manualslop/events"
	"manualslop/projections"
)

// bytesPerToken is how many bytes of a prompt count as one token; the provider's
// own count is known only after the reply.
const bytesPerToken = 4

// maxPrompts is the largest prompt of a provider in tokens, as the original has it.
func maxPrompts(provider string) *int64 {
	var limit int64
	switch provider {
	case "anthropic":
		limit = 180_000
	case "gemini", "gemini_cli":
		limit = 900_000
	default:
		return nil
	}
	return &limit
}

// maxPrompt is the largest prompt of a model in tokens: what the session recorded
// of it, less the longest reply, else as the original has it.
func maxPrompt(p projections.Prompt, offered events.ModelsOffered) *int64 {
	o, _ := offered.Find(p.Provider, p.Model)
	if limit := o.ContextWindow - o.MaxOutputTokens; o.ContextWindow > 0 && limit > 0 {
		return &limit
	}
	return maxPrompts(p.Provider)
}

// TokenStats is the body of GET /api/gui/token_stats: how full the newest prompt
// of the session is. Figures that need the provider's limit are null where it is
// not known.
type TokenStats struct {
	Provider              string         `json:"provider"`
	Model                 string         `json:"model"`
	Stream                string         `json:"stream"`
	HistoryTurns          int            `json:"history_turns"` // messages
	EstimatedPromptTokens int64          `json:"estimated_prompt_tokens"`
	MaxPromptTokens       *int64         `json:"max_prompt_tokens"`
	UtilizationPct        *float64       `json:"utilization_pct"`
	HeadroomTokens        *int64         `json:"headroom_tokens"`
	WouldTrim             *bool          `json:"would_trim"`
	TrimmableTurns        int            `json:"trimmable_turns"` // rounds before the newest
	SystemTokens          int64          `json:"system_tokens"`
	ToolsTokens           int64          `json:"tools_tokens"`
	HistoryTokens         int64          `json:"history_tokens"`
	Band                  *string        `json:"band"` // green below 50 %, yellow to 80, red above
	Messages              []MessageStats `json:"messages"`
	MessagesOmitted       int            `json:"messages_omitted"` // older ones, counted in the sums only
	Cache                 CacheStats     `json:"cache"`
}

// CacheStats is the beginning of prompts to the newest prompt's model that its
// provider keeps. Its age and what is left of it follow from the times, which
// are null where it keeps nothing.
type CacheStats struct {
	Exists     bool       `json:"cache_exists"` // until it was dropped, though it may have expired
	CreatedAt  *time.Time `json:"created_at"`
	ExpiresAt  *time.Time `json:"expires_at"`
	TTLSeconds int64      `json:"ttl_seconds"`
	Tokens     int64      `json:"tokens"` // as the provider counts; 0 if it did not say
}

func cacheStats(c *projections.PromptCache) CacheStats {
	if c == nil {
		return CacheStats{}
	}
	created, expires := c.CreatedAt, c.ExpiresAt
	return CacheStats{true, &created, &expires, int64(expires.Sub(created).Round(time.Second).Seconds()), c.Tokens}
}

// MessageStats is one message of the history.
type MessageStats struct {
	Role       string `json:"role"`
	Tokens     int64  `json:"estimated_tokens"`
	HasToolUse bool   `json:"has_tool_use"`
}

// statsOf estimates the tokens of a prompt.
func statsOf(p projections.Prompt, offered events.ModelsOffered) TokenStats {
	out := TokenStats{
		Provider: p.Provider, Model: p.Model, Stream: p.Stream, HistoryTurns: len(p.Messages) + p.Omitted, TrimmableTurns: max(0, p.Rounds-1),
		SystemTokens: tokens(p.System), ToolsTokens: tokens(p.Tools), HistoryTokens: tokens(p.History),
		MaxPromptTokens: maxPrompt(p, offered), Messages: make([]MessageStats, len(p.Messages)), MessagesOmitted: p.Omitted,
		Cache: cacheStats(p.Cache),
	}
	for i, m := range p.Messages {
		out.Messages[i] = MessageStats{m.Role, tokens(m.Bytes), m.ToolUse}
	}
	out.EstimatedPromptTokens = out.SystemTokens + out.ToolsTokens + out.HistoryTokens
	if limit := out.MaxPromptTokens; limit != nil {
		used := 100 * float64(out.EstimatedPromptTokens) / float64(*limit)
		room, over, band := max(0, *limit-out.EstimatedPromptTokens), out.EstimatedPromptTokens > *limit, bandOf(used)
		out.UtilizationPct, out.HeadroomTokens, out.WouldTrim, out.Band = &used, &room, &over, &band
	}
	return out
}

func bandOf(percent float64) string {
	switch {
	case percent < 50:
		return "green"
	case percent <= 80:
		return "yellow"
	}
	return "red"
}

// tokens is an estimate, rounded up.
func tokens(bytes int64) int64 { return bytes/bytesPerToken + min(1, bytes%bytesPerToken) }
