// Package headless is the original's headless service: work in, text out.
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

// Routes are the original's headless service: work in, text out.
func Routes(g *core.State) []request.Route {
	const get, post, group = http.MethodGet, http.MethodPost, "Headless service"
	of := request.SessionParameter()
	return []request.Route{
		{Method: get, Pattern: "/health", Right: access.RightNone, Group: group, Gives: request.StatusAnswer{},
			Doc: "Whether the service answers.", Always: true, Handle: g.In(status.Status)},
		{Method: post, Pattern: "/api/v1/generate", Right: access.RightHuman, Group: group, Query: []request.Parameter{of},
			Takes: generateBody{}, Gives: wire.Generated{},
			Doc: "Adds a worker, waits until its ticket ends and answers its text, tokens and outcome, which is completed or " +
				"why it is not; 504 with the ticket where that takes too long. Every gate applies.", Body: request.SmallBody,
			Handle: g.In(postGenerate)},
		{Method: post, Pattern: "/api/v1/stream", Right: access.RightHuman, Group: group, Query: []request.Parameter{of},
			Takes: team.WorkerBody{}, Media: request.MediaEvents,
			Doc: "Adds a worker and shows it as server-sent events: worker, delta, text, call, ask, answer, state, and end, " +
				"which closes.", Body: request.SmallBody, Handle: g.In(postWorkerStream)},
		{Method: get, Pattern: "/api/v1/stream", Right: access.RightRead, Group: group,
			Query: []request.Parameter{{Name: "ticket", Type: "string", Doc: "The worker's ticket."},
				{Name: "since", Type: "integer", Doc: "Begin after this sequence; Last-Event-ID takes precedence."}, of},
			Doc: "The same of the worker of ?ticket=, from its beginning.", Media: request.MediaEvents,
			Handle: g.In(getWorkerStream)},
		{Method: get, Pattern: "/api/v1/pending_actions", Right: access.RightRead, Group: group, Query: []request.Parameter{
			of}, Gives: pendingActions{},
			Doc: "The scripts and calls that wait for a yes.", Handle: g.In(getPendingActions())},
		{Method: post, Pattern: "/api/v1/confirm/{action_id}", Right: access.RightHuman, Group: group,
			Query: []request.Parameter{of}, Takes: confirmBody{}, Gives: confirmAnswer{},
			Also: []request.Answer{{Status: http.StatusAccepted, Doc: "The answer is on record; nobody has settled the ask yet.",
				Gives: confirmAnswer{}}},
			Doc: "Answers one of them; anything but a plain yes is a no.", Body: request.SmallBody, Handle: g.In(postConfirm)},
		{Method: get, Pattern: "/api/v1/sessions", Right: access.RightRead, Group: group, Doc: "The same as /api/sessions.",
			Gives: discussions.SessionList{}, Handle: g.In(discussions.GetSessions)},
		{Method: get, Pattern: "/api/v1/tools", Right: access.RightRead, Group: group, Query: []request.Parameter{of},
			Gives: toolList{}, Doc: "The tools of the session, with their schemas.", Handle: g.In(getTools())},
	}
}
