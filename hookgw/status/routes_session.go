package status

import (
	"net/http"

	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/discussions"
	"manualslop/hookgw/record"
	"manualslop/hookgw/request"
	"manualslop/hookgw/wire"
)

// SessionRoutes returns the routes that show sessions and edit the discussion.
func SessionRoutes(g *core.State) []request.Route {
	const get, post, group = http.MethodGet, http.MethodPost, "Session"
	of := []request.Parameter{request.SessionParameter()}
	return []request.Route{
		{Method: get, Pattern: "/api/session", Right: access.RightRead, Group: group, Query: of,
			Doc: "Returns the discussion " +
				"entries.", Gives: discussions.SessionDocument{}, Handle: g.In(discussions.GetSession())},
		{Method: post, Pattern: "/api/session", Right: access.RightHuman, Group: group, Query: of,
			Doc: "Replaces the discussion entries.", Takes: discussions.SessionDocument{}, Gives: request.StatusAnswer{},
			Body: request.SessionBody, Handle: g.In(discussions.PostSession)},
		{Method: get, Pattern: "/api/sessions", Right: access.RightRead, Group: group,
			Doc: "Lists every session of the project, and which one is current.", Gives: discussions.SessionList{},
			Handle: g.In(discussions.GetSessions)},
		{Method: get, Pattern: "/api/timeline", Right: access.RightRead, Group: group,
			Doc: "Lists what happened in the session, one line per event, oldest first.", Gives: wire.Timeline{},
			Handle: g.In(record.GetTimeline), Query: []request.Parameter{
				{Name: "since", Type: "integer", Doc: "Only events after this sequence; send through of the " +
					"last answer to " +
					"continue."}, {Name: "limit", Type: "integer",
					Doc: "Number of rows, at most 10000; default 1000."}, request.SessionParameter(),
			}},
	}
}
