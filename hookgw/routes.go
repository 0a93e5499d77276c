package hookgw

import (
	"slices"

	"manualslop/hookgw/asks"
	"manualslop/hookgw/console"
	"manualslop/hookgw/core"
	"manualslop/hookgw/curation"
	"manualslop/hookgw/discussions"
	"manualslop/hookgw/gui"
	"manualslop/hookgw/headless"
	"manualslop/hookgw/program"
	"manualslop/hookgw/project"
	"manualslop/hookgw/projectcontext"
	"manualslop/hookgw/record"
	"manualslop/hookgw/request"
	"manualslop/hookgw/status"
	"manualslop/hookgw/streams"
	"manualslop/hookgw/team"
	"manualslop/hookgw/views"
)

// Routes returns every route of the gateway.
func Routes() []request.Route { return routes(&core.State{}) }

func routes(g *core.State) []request.Route {
	return slices.Concat(
		status.Routes(g),
		status.HealthRoutes(g),
		status.SessionRoutes(g),
		status.ServerRoutes(g),
		discussions.Routes(g),
		curation.Routes(g),
		project.Routes(g),
		projectcontext.Routes(g),
		streams.Routes(g),
		asks.Routes(g),
		team.ControlRoutes(g),
		record.Routes(g),
		g.Program.Routes(),
		program.MoneyRoutes(),
		team.Routes(g),
		headless.Routes(g),
		contractRoutes(),
		console.Routes(g),
		gui.Routes(g),
		views.Routes(g),
	)
}
