package hookclient

import (
	"context"

	"manualslop/hookgw/wire"
)

// Spend is the usage and its cost.
type Spend = wire.Spend

// SpendOf is the spending of one track, ticket, tier or model.
type SpendOf = wire.SpendOf

// Financial is the usage and the cost of the session.
type Financial = wire.Financial

// GetFinancialMetrics reads tokens and money by track, ticket, tier and model.
func (c *Client) GetFinancialMetrics(ctx context.Context) (Financial, error) {
	return read[Financial](ctx, c, "/api/metrics/financial", nil)
}

// TokenStats reports how full the prompt of the newest request is, in estimated tokens. Fields that depend on an
// unknown limit are nil.
type TokenStats = wire.TokenStats

// GetTokenStats reads how full the prompt of the newest request is.
func (c *Client) GetTokenStats(ctx context.Context) (TokenStats, error) {
	return read[TokenStats](ctx, c, "/api/gui/token_stats", nil)
}
