package hookgw

import (
	"net/http"

	"manualslop/hookgw/access"
)

// askRoutes put questions to the person and take the answers.
func askRoutes() []Route {
	const get, post, group = http.MethodGet, http.MethodPost, "Asks"
	of := sessionParameter()
	settled := Answer{http.StatusConflict, "It is settled already; settled_by, settled_at and outcome tell how.", nil}
	late := Answer{http.StatusAccepted, "The answer is on record; nobody has settled the ask yet.", hintedAnswer{}}
	unknown := Answer{http.StatusNotFound, "There is no such ask.", nil}
	return []Route{
		{Method: get, Pattern: "/api/asks", Right: access.RightRead, Group: group, Doc: "Open questions; ?state=all, settled or pending.", Gives: askList{}, handle: getAsks(),
			Query: []Parameter{{Name: "state", Type: "string", Doc: "pending (also when left out), settled or all."}, of}},
		{Method: get, Pattern: "/api/asks/{gate}", Right: access.RightRead, Group: group, Doc: "The open questions of one gate: tool, step or spawn; ?state= as above.", handle: getGateAsks(),
			Query: []Parameter{{Name: "state", Type: "string", Doc: "pending (also when left out), settled or all."}, of}, Gives: gateAsks{}},
		{Method: post, Pattern: "/api/asks/{gate}/respond", Right: access.RightHuman, Group: group, Query: []Parameter{of}, Doc: "Answers a question of that gate and of no other: the one of request_id, else the oldest.", Takes: gateResponse{}, Gives: respondAnswer{}, Also: []Answer{late, unknown, settled}, body: smallBody, handle: postGateRespond},
		{Method: post, Pattern: "/api/ask", Right: access.RightAsk, Group: group, Query: []Parameter{of}, Doc: "Asks the person and waits for the answer.", Takes: map[string]any{}, Gives: askAnswer{},
			Also: []Answer{{http.StatusGatewayTimeout, "Nobody answered in time; it is settled as a no.", nil}, {http.StatusConflict, "The request_id belongs to another ask.", nil}}, body: smallBody, handle: postAsk},
		{Method: post, Pattern: "/api/ask/respond", Right: access.RightHuman, Group: group, Query: []Parameter{of}, Doc: "Answers a question, of /api/ask or of a gate.", Takes: responseBody{}, Gives: respondAnswer{}, Also: []Answer{late, unknown, settled}, body: smallBody, handle: postRespond},
	}
}
