package hookgw

import (
	"net/http"

	"manualslop/hookgw/access"
	"manualslop/hookgw/request"
)

// sessionRoutes show sessions and edit the discussion.
func (g *Gateway) sessionRoutes() []request.Route {
	const get, post, group = http.MethodGet, http.MethodPost, "Session"
	of := []request.Parameter{request.SessionParameter()}
	return []request.Route{
		{Method: get, Pattern: "/api/session", Right: access.RightRead, Group: group, Query: of, Doc: "The discussion entries.", Gives: sessionDocument{}, Handle: g.in(getSession())},
		{Method: post, Pattern: "/api/session", Right: access.RightHuman, Group: group, Query: of, Doc: "Replaces the discussion entries.", Takes: sessionDocument{}, Gives: request.StatusAnswer{}, Body: request.SessionBody, Handle: g.in(postSession)},
		{Method: get, Pattern: "/api/sessions", Right: access.RightRead, Group: group, Doc: "Every session of the project, and which one is current.", Gives: sessionList{}, Handle: g.in(getSessions)},
		{Method: get, Pattern: "/api/timeline", Right: access.RightRead, Group: group, Doc: "What happened in the session, a line an event, oldest first.", Gives: Timeline{}, Handle: g.in(getTimeline), Query: []request.Parameter{
			{Name: "since", Type: "integer", Doc: "Only what came behind this sequence; the through of an answer goes on behind its last row."}, {Name: "limit", Type: "integer", Doc: "At most so many rows, up to 10000; 1000 without it."}, request.SessionParameter(),
		}},
	}
}
