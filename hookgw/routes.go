package hookgw

import (
	"slices"

	"manualslop/hookgw/program"
	"manualslop/hookgw/request"
)

// Routes is everything that the gateway serves. Each group is a file of its own.
func Routes() []request.Route { return new(Gateway).routes() }

// routes are those of this gateway.
func (g *Gateway) routes() []request.Route {
	return slices.Concat(
		g.statusRoutes(),
		g.healthRoutes(),
		g.sessionRoutes(),
		g.discussionRoutes(),
		g.projectRoutes(),
		g.contextRoutes(),
		g.eventRoutes(),
		g.askRoutes(),
		g.controlRoutes(),
		g.logRoutes(),
		g.program.Routes(),
		program.MoneyRoutes(),
		g.mmaRoutes(),
		g.headlessRoutes(),
		contractRoutes(),
		g.guiRoutes(),
	)
}
