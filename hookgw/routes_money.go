package hookgw

import (
	"net/http"

	"manualslop/hookgw/access"
	"manualslop/projections"
	"manualslop/projections/pricing"
)

// moneyRoutes show what models used and what it cost.
func moneyRoutes() []Route {
	const get, group = http.MethodGet, "Program"
	of := []Parameter{sessionParameter()}
	prices := pricing.Table()
	spent := view("financial", func(s *projections.Set) (any, error) { return finances(s, prices), nil }, "spending")
	prompt := view("token_stats", func(s *projections.Set) (any, error) { return statsOf(s.Prompt(), s.Offered()), nil }, "prompt", "spending")
	return []Route{
		{Method: get, Pattern: "/api/metrics/financial", Right: access.RightRead, Group: group, Query: of, Gives: Financial{},
			handle: func(c *call) error { return c.show(spent) },
			Doc:    "Tokens and cost by track with history, ticket, tier and model; an unknown price is null in micro-dollars and 0.0 in cost."},
		{Method: get, Pattern: "/api/gui/token_stats", Right: access.RightRead, Group: group, Query: of, Gives: TokenStats{},
			handle: func(c *call) error { return c.show(prompt) },
			Doc:    "How full the newest prompt is, by estimate, message by message."},
	}
}
