// Package asks asks the user questions and receives the answers.
package asks

import (
	"net/http"

	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/request"
	"manualslop/hookgw/wire"
)

// Routes returns the routes that ask the user and receive the answers.
func Routes(g *core.State) []request.Route {
	const get, post, group = http.MethodGet, http.MethodPost, "Asks"
	of := request.SessionParameter()
	settled := request.Answer{Status: http.StatusConflict, Doc: "The ask is already settled; see settled_by, " +
		"settled_at and outcome."}
	late := request.Answer{Status: http.StatusAccepted, Doc: "The answer is recorded; the ask is not settled yet.",
		Gives: request.HintedAnswer{}}
	unknown := request.Answer{Status: http.StatusNotFound, Doc: "No such ask."}
	return []request.Route{
		{Method: get, Pattern: "/api/asks", Right: access.RightRead, Group: group,
			Doc: "Lists open asks; ?state=all, settled or pending.", Gives: askList{}, Handle: g.In(getAsks()),
			Query: []request.Parameter{{Name: "state", Type: "string", Doc: "pending (default), settled or all."},
				of, request.AtParameter()}},
		{Method: get, Pattern: "/api/inbox", Right: access.RightRead, Group: group, Gives: inboxList{},
			Doc: "Lists the open asks of all open sessions, oldest first, each with its session, goal and ticket, and their " +
				"blocked tickets.",
			Also: []request.Answer{request.Known()}, Handle: g.In(getInbox)},
		{Method: get, Pattern: "/api/asks/{gate}", Right: access.RightRead, Group: group,
			Doc: "Lists the open asks of one gate: tool, step or spawn; ?state= as above.", Handle: g.In(getGateAsks()),
			Query: []request.Parameter{{Name: "state", Type: "string", Doc: "pending (default), settled or all."},
				of, request.AtParameter()}, Gives: gateAsks{}},
		{Method: post, Pattern: "/api/asks/{gate}/respond", Right: access.RightHuman, Group: group,
			Query: []request.Parameter{of}, Doc: "Answers an ask of this gate only: the one that request_id names, or else " +
				"the oldest.", Takes: gateResponse{}, Gives: respondAnswer{}, Also: []request.Answer{late, unknown, settled},
			Body: request.SmallBody, Handle: g.In(postGateRespond)},
		{Method: post, Pattern: "/api/ask", Right: access.RightAsk, Group: group, Query: []request.Parameter{of},
			Doc: "Asks the user and waits for the answer.", Takes: map[string]any{}, Gives: askAnswer{},
			Also: []request.Answer{{Status: http.StatusGatewayTimeout, Doc: "No answer came in time; the ask is " +
				"denied."},
				{Status: http.StatusConflict, Doc: "The request_id belongs to another ask."}}, Body: request.SmallBody,
			Handle: g.In(postAsk)},
		{Method: get, Pattern: "/api/ask/rule", Right: access.RightRead, Group: group, Gives: RulePreview{},
			Doc: "Previews the rule that \"yes, from now on\" would create from an ask, and which other open asks " +
				"it would answer.",
			Query: []request.Parameter{{Name: "request_id", Type: "string", Doc: "The ask."},
				{Name: "scope", Type: "string", Doc: "ticket, session (default) or config."},
				{Name: "pattern", Type: "string", Doc: "What the rule covers; default: the proposed " +
					"patterns.", Many: true}, of},
			Also: []request.Answer{unknown, settled, request.Known(), {Status: http.StatusUnprocessableEntity,
				Doc: "This rule cannot be created."}}, Handle: g.In(getRule)},
		{Method: post, Pattern: "/api/ask/preview", Right: access.RightHuman, Group: group, Query: []request.Parameter{of},
			Doc:   "Shows what the call of an open ask would change with other arguments. Records nothing.",
			Takes: previewBody{}, Gives: wire.AskPreview{}, Also: []request.Answer{unknown, settled,
				{Status: http.StatusServiceUnavailable, Doc: "This gateway cannot read the project's files."}},
			Body: request.SmallBody, Handle: g.In(postPreview)},
		{Method: post, Pattern: "/api/ask/respond", Right: access.RightHuman, Group: group, Query: []request.Parameter{of},
			Doc: "Answers an ask, from /api/ask or from a gate.", Takes: responseBody{}, Gives: respondAnswer{},
			Also: []request.Answer{late, unknown, settled}, Body: request.SmallBody, Handle: g.In(postRespond)},
	}
}
