package hookgw

import "net/http"

// sessionRoutes show sessions and edit the discussion.
func sessionRoutes() []Route {
	const get, post, group = http.MethodGet, http.MethodPost, "Session"
	of := []Parameter{sessionParameter()}
	return []Route{
		{Method: get, Pattern: "/api/session", Right: RightRead, Group: group, Query: of, Doc: "The discussion entries.", Gives: sessionDocument{}, handle: getSession()},
		{Method: post, Pattern: "/api/session", Right: RightHuman, Group: group, Query: of, Doc: "Replaces the discussion entries.", Takes: sessionDocument{}, Gives: statusAnswer{}, body: sessionBody, handle: postSession},
		{Method: get, Pattern: "/api/sessions", Right: RightRead, Group: group, Doc: "Every session of the project, and which one is current.", Gives: sessionList{}, handle: getSessions},
	}
}
