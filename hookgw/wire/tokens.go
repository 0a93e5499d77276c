package wire

// TokenStats is the body of GET /api/gui/token_stats: how full the newest prompt of the session is. Figures that need
// the provider's limit are null if it is not known.
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
	// number of older messages, counted only in the sums
	MessagesOmitted int `json:"messages_omitted"`
}

// MessageStats is one message of the history.
type MessageStats struct {
	Role       string `json:"role"`
	Tokens     int64  `json:"estimated_tokens"`
	HasToolUse bool   `json:"has_tool_use"`
}
