package hookgw

import "net/http"

// askRoutes put questions to the person and take the answers.
func askRoutes() []Route {
	const get, post, group = http.MethodGet, http.MethodPost, "Asks"
	of := sessionParameter()
	return []Route{
		{Method: get, Pattern: "/api/asks", Right: RightRead, Group: group, Doc: "Open questions; ?state=all, settled or pending.", handle: getAsks(),
			Query: []Parameter{{"state", "string", "pending (also when left out), settled or all."}, of}},
		{Method: get, Pattern: "/api/asks/{gate}", Right: RightRead, Group: group, Doc: "The open questions of one gate: tool, step or spawn; ?state= as above.", handle: getGateAsks(),
			Query: []Parameter{{"state", "string", "pending (also when left out), settled or all."}, of}, Gives: gateAsks{}},
		{Method: post, Pattern: "/api/asks/{gate}/respond", Right: RightHuman, Group: group, Query: []Parameter{of}, Doc: "Answers a question of that gate and of no other: the one of request_id, else the oldest.", body: smallBody, handle: postGateRespond},
		{Method: post, Pattern: "/api/ask", Right: RightAsk, Group: group, Query: []Parameter{of}, Doc: "Asks the person and waits for the answer.", body: smallBody, handle: postAsk},
		{Method: post, Pattern: "/api/ask/respond", Right: RightHuman, Group: group, Query: []Parameter{of}, Doc: "Answers a question, of /api/ask or of a gate.", body: smallBody, handle: postRespond},
	}
}
