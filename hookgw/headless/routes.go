// Package headless serves the headless service of Manual Slop: it takes a prompt and returns the reply.
package headless

import (
	"net/http"

	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/discussions"
	"manualslop/hookgw/request"
	"manualslop/hookgw/status"
	"manualslop/hookgw/team"
	"manualslop/hookgw/wire"
)

// Routes returns the routes of Manual Slop's headless service, which take a prompt and return the reply.
func Routes(g *core.State) []request.Route {
	const get, post, group = http.MethodGet, http.MethodPost, "Headless service"
	of := request.SessionParameter()
	return []request.Route{
		{Method: get, Pattern: "/health", Right: access.RightNone, Group: group, Gives: request.StatusAnswer{},
			Doc: "Reports whether the service answers.", Always: true, Handle: g.In(status.Status)},
		{Method: post, Pattern: "/api/v1/generate", Right: access.RightHuman, Group: group, Query: []request.Parameter{of},
			Takes: generateBody{}, Gives: wire.Generated{},
			Doc: "Adds a worker, waits until its ticket ends and returns its text, tokens and outcome, which is completed or " +
				"the reason why it is not; 504 with the ticket if that takes too long. Every gate " +
				"applies.", Body: request.SmallBody,
			Handle: g.In(postGenerate)},
		{Method: post, Pattern: "/api/v1/stream", Right: access.RightHuman, Group: group, Query: []request.Parameter{of},
			Takes: team.WorkerBody{}, Media: request.MediaEvents,
			Doc: "Adds a worker and streams it as server-sent events: worker, delta, text, call, ask, answer, " +
				"state, and end, " +
				"which closes.", Body: request.SmallBody, Handle: g.In(postWorkerStream)},
		{Method: get, Pattern: "/api/v1/stream", Right: access.RightRead, Group: group,
			Query: []request.Parameter{{Name: "ticket", Type: "string", Doc: "The worker's ticket."},
				{Name: "since", Type: "integer", Doc: "Begin after this sequence; Last-Event-ID takes precedence."}, of},
			Doc: "Streams the worker of ?ticket= the same way, from its beginning.", Media: request.MediaEvents,
			Handle: g.In(getWorkerStream)},
		{Method: get, Pattern: "/api/v1/pending_actions", Right: access.RightRead, Group: group, Query: []request.Parameter{
			of}, Gives: pendingActions{},
			Doc: "Lists the scripts and calls that wait for approval.", Handle: g.In(getPendingActions())},
		{Method: post, Pattern: "/api/v1/confirm/{action_id}", Right: access.RightHuman, Group: group,
			Query: []request.Parameter{of}, Takes: confirmBody{}, Gives: confirmAnswer{},
			Also: []request.Answer{{Status: http.StatusAccepted, Doc: "The answer is recorded; the ask is not " +
				"settled yet.",
				Gives: confirmAnswer{}}},
			Doc: "Answers a pending action; anything but a plain yes denies " +
				"it.", Body: request.SmallBody, Handle: g.In(postConfirm)},
		{Method: get, Pattern: "/api/v1/sessions", Right: access.RightRead, Group: group, Doc: "The same as /api/sessions.",
			Gives: discussions.SessionList{}, Handle: g.In(discussions.GetSessions)},
		{Method: get, Pattern: "/api/v1/tools", Right: access.RightRead, Group: group, Query: []request.Parameter{of},
			Gives: toolList{}, Doc: "Lists the tools of the session, with their schemas.", Handle: g.In(getTools())},
	}
}
