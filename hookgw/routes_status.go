package hookgw

import (
	"net/http"

	"manualslop/hookgw/access"
	"manualslop/projections"
)

// statusRoutes show how the team stands.
func statusRoutes() []Route {
	const get, group = http.MethodGet, "Status"
	of := []Parameter{sessionParameter()}
	return []Route{
		{Method: get, Pattern: "/status", Right: access.RightNone, Group: group, Doc: "Whether the gateway answers.", Gives: statusAnswer{}, always: true, handle: status},
		{Method: get, Pattern: "/api/gui/mma_status", Right: access.RightRead, Group: group, Query: of, Gives: projections.MMAStatus{}, Doc: "State of the tiers, tracks, tickets, streams and gates.", handle: mmaStatus},
		{Method: get, Pattern: "/api/mma_status", Right: access.RightRead, Group: group, Query: of, Gives: projections.MMAStatus{}, Doc: "The same, under a path of an older guide.", handle: mmaStatus},
		{Method: get, Pattern: "/mma_status", Right: access.RightRead, Group: group, Query: of, Gives: projections.MMAStatus{}, Doc: "The same, under the oldest path.", handle: mmaStatus},
		{Method: get, Pattern: "/api/gui/diagnostics", Right: access.RightRead, Group: group, Query: of, Gives: projections.Diagnostics{}, Doc: "Indicators: thinking, live, prior.", handle: model("diagnostics")},
		{Method: get, Pattern: "/diagnostics", Right: access.RightRead, Group: group, Query: of, Gives: projections.Diagnostics{}, Doc: "The same, under the oldest path.", handle: model("diagnostics")},
		{Method: get, Pattern: "/api/roles", Right: access.RightRead, Group: group, Doc: "Who is at work, and which roles nobody runs.", Gives: RoleList{}, handle: getRoles},
	}
}
