package wire

import (
	"time"

	"manualslop/events"
)

// Financial is the body of GET /api/metrics/financial.
type Financial struct {
	Currency string    `json:"currency"` // of Cost; *_micro_dollars are millionths of it
	Session  Spend     `json:"session"`
	Tracks   []SpendOf `json:"tracks"`  // the track "" holds what belongs to no track
	Tickets  []SpendOf `json:"tickets"` // only those with a ticket
	// NoTicket is what belongs to no ticket, such as planning, so that it and Tickets add up to Session.
	NoTicket Spend     `json:"no_ticket"`
	Tiers    []SpendOf `json:"tiers"`
	Models   []SpendOf `json:"models"` // by provider and model
	// Unpriced are the models without a known price. Their usage is not included in any sum of money, and the sums that
	// it belongs to are null.
	Unpriced []string `json:"unpriced_models"`
	// Prices are the limits and prices in effect for the session, with day and source: those that it recorded, or the
	// program's if it recorded none.
	Prices []events.ModelOffer `json:"prices"`
	Budget Budget              `json:"budget"`
}

// Budget is how much the session may spend before it asks a user. A limit that is not set is null.
type Budget struct {
	LimitMicroDollars       *int64         `json:"limit_micro_dollars"`
	TicketLimitMicroDollars *int64         `json:"ticket_limit_micro_dollars"` // of each ticket
	UsedPct                 *float64       `json:"used_pct"`                   // of the session's limit, by known prices
	Warned                  bool           `json:"warned"`                     // 80 % of it is spent
	Tickets                 []TicketBudget `json:"tickets"`                    // those with their own limit
}

// TicketBudget is the limit of one ticket.
type TicketBudget struct {
	Ticket            string `json:"ticket"`
	LimitMicroDollars *int64 `json:"limit_micro_dollars"` // null: it may finish beyond every limit
}

// Spend is the usage and its cost.
type Spend struct {
	Requests         int   `json:"requests"`
	Failed           int   `json:"failed"`
	InputTokens      int64 `json:"input_tokens"`
	OutputTokens     int64 `json:"output_tokens"`
	CacheReadTokens  int64 `json:"cache_read_tokens"`
	CacheWriteTokens int64 `json:"cache_write_tokens"`
	// CacheWriteHourTokens are those of them that are kept for an hour.
	CacheWriteHourTokens int64 `json:"cache_write_hour_tokens"`
	Estimated            bool  `json:"estimated"` // some counts are estimates
	// CostMicroDollars is null if part of it has no known price; Priced is the part with a price.
	CostMicroDollars   *int64 `json:"cost_micro_dollars"`
	PricedMicroDollars int64  `json:"priced_micro_dollars"`
	// ReportedMicroDollars is the cost that providers report themselves; only some do, and it is not included in any
	// other sum.
	ReportedMicroDollars int64 `json:"reported_micro_dollars"`
	// Cost is Manual Slop's float, in which an unknown price is 0.0.
	Cost float64 `json:"cost"`
}

// SpendOf is the sum of one track, ticket, tier or model.
type SpendOf struct {
	ID    string `json:"id"`
	Title string `json:"title,omitempty"` // of a track, or the beginning of a ticket's description
	Track string `json:"track,omitempty"` // of a ticket
	Spend
	History []SpendPoint `json:"history,omitempty"` // of a track, oldest first
}

// SpendPoint is the usage between the previous point and this time.
type SpendPoint struct {
	At time.Time `json:"at"`
	Spend
}
