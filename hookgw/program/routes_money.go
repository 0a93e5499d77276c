package program

import (
	"net/http"

	"manualslop/hookgw/access"
	"manualslop/hookgw/request"
	"manualslop/hookgw/wire"
	"manualslop/projections"
	"manualslop/projections/pricing"
)

// MoneyRoutes returns the routes for the usage and the cost of models.
func MoneyRoutes() []request.Route {
	const get, group = http.MethodGet, "Program"
	of := []request.Parameter{request.SessionParameter()}
	prices := pricing.Table()
	spent := request.View("financial", func(s *projections.Set) (any, error) { return finances(s, prices), nil },
		"spending")
	prompt := request.View("token_stats", func(s *projections.Set) (any, error) {
		return statsOf(s.Prompt(), s.Offered()),
			nil
	}, "prompt", "spending")
	return []request.Route{
		{Method: get, Pattern: "/api/metrics/financial", Right: access.RightRead, Group: group,
			Query:  append(of, request.AtParameter()),
			Gives:  wire.Financial{},
			Handle: func(c *request.Call) error { return c.ShowAt(c.Core.Past, spent) },
			Doc: "Returns tokens and cost by track with history, ticket, tier and model; an unknown price is " +
				"null in micro-dollars " +
				"and 0.0 in cost."},
		{Method: get, Pattern: "/api/gui/token_stats", Right: access.RightRead, Group: group, Query: of,
			Gives:  wire.TokenStats{},
			Handle: func(c *request.Call) error { return c.Show(prompt) },
			Doc:    "Estimates how full the newest prompt is, message by message."},
	}
}
