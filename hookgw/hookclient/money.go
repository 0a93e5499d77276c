package hookclient

import (
	"context"
	"encoding/json"
	"time"
)

// Spend is what was used, and what it cost.
type Spend struct {
	Requests         int   `json:"requests"`
	Failed           int   `json:"failed"`
	InputTokens      int64 `json:"input_tokens"`
	OutputTokens     int64 `json:"output_tokens"`
	CacheReadTokens  int64 `json:"cache_read_tokens"`
	CacheWriteTokens int64 `json:"cache_write_tokens"`
	Estimated        bool  `json:"estimated"` // some counts were estimated
	// CostMicroDollars is nil where a part of it has no known price;
	// PricedMicroDollars is the part that has.
	CostMicroDollars   *int64 `json:"cost_micro_dollars"`
	PricedMicroDollars int64  `json:"priced_micro_dollars"`
	// Cost is the original's figure, in which an unknown price is 0.
	Cost float64 `json:"cost"`
}

// SpendOf is the spending of one track, ticket, tier or model.
type SpendOf struct {
	ID    string `json:"id"`
	Track string `json:"track"` // of a ticket
	Spend
	History []struct {
		At time.Time `json:"at"`
		Spend
	} `json:"history"` // of a track, oldest first
}

// Financial is what the session used and cost.
type Financial struct {
	Currency string          `json:"currency"`
	Session  Spend           `json:"session"`
	Tracks   []SpendOf       `json:"tracks"`
	Tickets  []SpendOf       `json:"tickets"`
	Tiers    []SpendOf       `json:"tiers"`
	Models   []SpendOf       `json:"models"`
	Unpriced []string        `json:"unpriced_models"`
	Prices   json.RawMessage `json:"prices"`
}

// GetFinancialMetrics reads tokens and money by track, ticket, tier and model.
func (c *Client) GetFinancialMetrics(ctx context.Context) (Financial, error) {
	return read[Financial](ctx, c, "/api/metrics/financial", nil)
}

// TokenStats tells how full the prompt of the newest request is, in estimated
// tokens. What depends on an unknown limit is nil.
type TokenStats struct {
	Provider              string   `json:"provider"`
	Model                 string   `json:"model"`
	Stream                string   `json:"stream"`
	HistoryTurns          int      `json:"history_turns"`
	EstimatedPromptTokens int64    `json:"estimated_prompt_tokens"`
	MaxPromptTokens       *int64   `json:"max_prompt_tokens"`
	UtilizationPct        *float64 `json:"utilization_pct"`
	HeadroomTokens        *int64   `json:"headroom_tokens"`
	WouldTrim             *bool    `json:"would_trim"`
	TrimmableTurns        int      `json:"trimmable_turns"`
	SystemTokens          int64    `json:"system_tokens"`
	ToolsTokens           int64    `json:"tools_tokens"`
	HistoryTokens         int64    `json:"history_tokens"`
	Band                  *string  `json:"band"` // green, yellow, red
	Messages              []struct {
		Role       string `json:"role"`
		Tokens     int64  `json:"estimated_tokens"`
		HasToolUse bool   `json:"has_tool_use"`
	} `json:"messages"`
	MessagesOmitted int `json:"messages_omitted"`
}

// GetTokenStats reads how full the prompt of the newest request is.
func (c *Client) GetTokenStats(ctx context.Context) (TokenStats, error) {
	return read[TokenStats](ctx, c, "/api/gui/token_stats", nil)
}
