package program

import (
	"manualslop/events"
	"manualslop/hookgw/wire"
	"manualslop/projections"
)

// bytesPerToken is the number of prompt bytes that count as one token; the provider's own count is known only after
// the reply.
const bytesPerToken = 4

// maxPrompts returns the largest prompt of each provider in tokens, as in Manual Slop.
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

// maxPrompt returns the largest prompt of a model in tokens: the limit that the session recorded less the longest
// reply, or else the limit in Manual Slop.
func maxPrompt(p projections.Prompt, offered events.ModelsOffered) *int64 {
	o, _ := offered.Find(p.Provider, p.Model)
	if limit := o.ContextWindow - o.MaxOutputTokens; o.ContextWindow > 0 && limit > 0 {
		return &limit
	}
	return maxPrompts(p.Provider)
}

// statsOf estimates the tokens of a prompt.
func statsOf(p projections.Prompt, offered events.ModelsOffered) wire.TokenStats {
	out := wire.TokenStats{
		Provider: p.Provider, Model: p.Model, Stream: p.Stream, HistoryTurns: len(p.Messages) + p.Omitted,
		TrimmableTurns: max(0, p.Rounds-1),
		SystemTokens:   tokens(p.System), ToolsTokens: tokens(p.Tools), HistoryTokens: tokens(p.History),
		MaxPromptTokens: maxPrompt(p, offered), Messages: make([]wire.MessageStats, len(p.Messages)),
		MessagesOmitted: p.Omitted,
	}
	for i, m := range p.Messages {
		out.Messages[i] = wire.MessageStats{Role: m.Role, Tokens: tokens(m.Bytes), HasToolUse: m.ToolUse}
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

// tokens returns an estimate, rounded up.
func tokens(bytes int64) int64 { return bytes/bytesPerToken + min(1, bytes%bytesPerToken) }
