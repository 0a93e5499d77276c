package hookgw

import (
	"net/http"

	"manualslop/hookgw/access"
)

// headlessRoutes are the original's headless service: work in, text out.
func headlessRoutes() []Route {
	const get, post, group = http.MethodGet, http.MethodPost, "Headless service"
	of := sessionParameter()
	return []Route{
		{Method: get, Pattern: "/health", Right: access.RightNone, Group: group, Gives: statusAnswer{}, Doc: "Whether the service answers.", always: true, handle: status},
		{Method: post, Pattern: "/api/v1/generate", Right: access.RightHuman, Group: group, Query: []Parameter{of}, Takes: generateBody{}, Gives: Generated{},
			Doc: "Adds a worker, waits until its ticket ends and answers its text, tokens and outcome, which is completed or why it is not; 504 with the ticket where that takes too long. Every gate applies.", body: smallBody, handle: postGenerate},
		{Method: post, Pattern: "/api/v1/stream", Right: access.RightHuman, Group: group, Query: []Parameter{of}, Takes: workerBody{}, Media: mediaEvents,
			Doc: "Adds a worker and shows it as server-sent events: worker, delta, text, call, ask, answer, state, and end, which closes.", body: smallBody, handle: postWorkerStream},
		{Method: get, Pattern: "/api/v1/stream", Right: access.RightRead, Group: group,
			Query: []Parameter{{Name: "ticket", Type: "string", Doc: "The worker's ticket."}, {Name: "since", Type: "integer", Doc: "Begin after this sequence; Last-Event-ID goes before it."}, of},
			Doc:   "The same of the worker of ?ticket=, from its beginning.", Media: mediaEvents, handle: getWorkerStream},
		{Method: get, Pattern: "/api/v1/pending_actions", Right: access.RightRead, Group: group, Query: []Parameter{of}, Gives: pendingActions{},
			Doc: "The scripts and calls that wait for a yes.", handle: getPendingActions()},
		{Method: post, Pattern: "/api/v1/confirm/{action_id}", Right: access.RightHuman, Group: group, Query: []Parameter{of}, Takes: confirmBody{}, Gives: confirmAnswer{},
			Also: []Answer{{http.StatusAccepted, "The answer is on record; nobody has settled the ask yet.", confirmAnswer{}}},
			Doc:  "Answers one of them; anything but a plain yes is a no.", body: smallBody, handle: postConfirm},
		{Method: get, Pattern: "/api/v1/sessions", Right: access.RightRead, Group: group, Doc: "The same as /api/sessions.", Gives: sessionList{}, handle: getSessions},
		{Method: get, Pattern: "/api/v1/tools", Right: access.RightRead, Group: group, Query: []Parameter{of}, Gives: toolList{}, Doc: "The tools of the session, with their schemas.", handle: getTools()},
	}
}
