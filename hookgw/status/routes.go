// Package status tells how the team and the gateway stand.
package status

import (
	"net/http"

	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/request"
	"manualslop/hookgw/wire"
	"manualslop/projections"
)

// Routes show how the team stands.
func Routes(g *core.State) []request.Route {
	const get, group = http.MethodGet, "Status"
	of := []request.Parameter{request.SessionParameter()}
	return []request.Route{
		{Method: get, Pattern: "/status", Right: access.RightNone, Group: group,
			Doc:   "200 when requests can be sent; 503 with Retry-After while an engine is starting and has no session yet.",
			Gives: request.StatusAnswer{}, Always: true, Handle: g.In(Status)},
		{Method: get, Pattern: "/api/gui/mma_status", Right: access.RightRead, Group: group, Query: of,
			Gives: projections.MMAStatus{}, Doc: "State of the tiers, tracks, tickets, streams and gates.",
			Handle: g.In(mmaStatus)},
		{Method: get, Pattern: "/api/mma_status", Right: access.RightRead, Group: group, Query: of,
			Gives: projections.MMAStatus{}, Doc: "The same, under a path of an older guide.", Handle: g.In(mmaStatus)},
		{Method: get, Pattern: "/mma_status", Right: access.RightRead, Group: group, Query: of,
			Gives: projections.MMAStatus{}, Doc: "The same, under the oldest path.", Handle: g.In(mmaStatus)},
		{Method: get, Pattern: "/api/gui/diagnostics", Right: access.RightRead, Group: group, Query: of,
			Gives: projections.Diagnostics{}, Doc: "Indicators: thinking, live, prior.", Handle: request.Model("diagnostics")},
		{Method: get, Pattern: "/diagnostics", Right: access.RightRead, Group: group, Query: of,
			Gives: projections.Diagnostics{}, Doc: "The same, under the oldest path.", Handle: request.Model("diagnostics")},
		{Method: get, Pattern: "/api/roles", Right: access.RightRead, Group: group,
			Doc: "Who is at work, and which roles nobody runs.", Gives: wire.RoleList{}, Handle: g.In(getRoles)},
	}
}
