// Package status shows the state of the team and the gateway.
package status

import (
	"net/http"

	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/request"
	"manualslop/hookgw/wire"
	"manualslop/projections"
)

// Routes returns the routes that show the state of the team.
func Routes(g *core.State) []request.Route {
	const get, group = http.MethodGet, "Status"
	of := []request.Parameter{request.SessionParameter()}
	return []request.Route{
		{Method: get, Pattern: "/status", Right: access.RightNone, Group: group,
			Doc: "Answers 200 when requests can be sent; 503 with Retry-After while an engine is starting and " +
				"has no session yet.",
			Gives: request.StatusAnswer{}, Always: true, Handle: g.In(Status)},
		{Method: get, Pattern: "/api/gui/mma_status", Right: access.RightRead, Group: group, Query: of,
			Gives: projections.MMAStatus{}, Doc: "Returns the state of the tiers, tracks, tickets, streams and gates.",
			Handle: g.In(mmaStatus)},
		{Method: get, Pattern: "/api/mma_status", Right: access.RightRead, Group: group, Query: of,
			Gives: projections.MMAStatus{}, Doc: "The same, under an older path.", Handle: g.In(mmaStatus)},
		{Method: get, Pattern: "/mma_status", Right: access.RightRead, Group: group, Query: of,
			Gives: projections.MMAStatus{}, Doc: "The same, under the oldest path.", Handle: g.In(mmaStatus)},
		{Method: get, Pattern: "/api/gui/diagnostics", Right: access.RightRead, Group: group, Query: of,
			Gives: projections.Diagnostics{}, Doc: "Returns the indicators thinking, live and " +
				"prior.", Handle: request.Model("diagnostics")},
		{Method: get, Pattern: "/diagnostics", Right: access.RightRead, Group: group, Query: of,
			Gives: oldDiagnostics{}, Doc: "The indicators, and the figures of /api/performance.",
			Handle: g.In(getOldDiagnostics)},
		{Method: get, Pattern: "/api/roles", Right: access.RightRead, Group: group,
			Doc: "Lists the running actors and the missing roles.", Gives: wire.RoleList{}, Handle: g.In(getRoles)},
	}
}
