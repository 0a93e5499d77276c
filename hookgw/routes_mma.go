package hookgw

import (
	"net/http"

	"manualslop/hookgw/access"
	"manualslop/projections"
)

// mmaRoutes steer the team's workers, its pipeline and its graph.
func mmaRoutes() []Route {
	const get, post, group = http.MethodGet, http.MethodPost, "Workers"
	of := []Parameter{sessionParameter()}
	unanswered := func(gives any) []Answer {
		return []Answer{{http.StatusAccepted, "It is on record; the conductor has not answered yet.", gives}}
	}
	return []Route{
		{Method: get, Pattern: "/api/mma/workers", Right: access.RightRead, Group: group, Query: of, Gives: projections.Workers{},
			Doc: "Every sub-agent at work: what it does and waits for, its calls, asks, tokens, trace and the end of its text; and the newest at rest.", handle: model("workers")},
		{Method: post, Pattern: "/api/mma/workers/spawn", Right: access.RightHuman, Group: group, Query: of, Takes: workerBody{}, Gives: SpawnAnswer{}, Also: unanswered(SpawnAnswer{}),
			Doc: "Adds a worker with a ticket of its own; the same request_id joins the one that is there.", body: smallBody, handle: postSpawn},
		{Method: post, Pattern: "/api/mma/workers/kill", Right: access.RightHuman, Group: group, Query: of, Takes: killBody{}, Gives: killAnswer{}, Also: unanswered(killAnswer{}),
			Doc: "Ends the running attempt of a worker: its calls are cancelled, its ticket is blocked.", body: smallBody, handle: postKill},
		{Method: post, Pattern: "/api/mma/pipeline/pause", Right: access.RightHuman, Group: group, Query: of, Takes: struct{}{}, Gives: pipelineAnswer{}, Also: unanswered(pipelineAnswer{}),
			Doc: "Starts nothing new; what runs finishes.", body: smallBody, handle: postPause},
		{Method: post, Pattern: "/api/mma/pipeline/resume", Right: access.RightHuman, Group: group, Query: of, Takes: struct{}{}, Gives: pipelineAnswer{}, Also: unanswered(pipelineAnswer{}),
			Doc: "Ends a pause.", body: smallBody, handle: postResume},
		{Method: post, Pattern: "/api/mma/dag/mutate", Right: access.RightHuman, Group: group, Query: of, Takes: mutateBody{}, Gives: MutateAnswer{}, Also: unanswered(MutateAnswer{}),
			Doc: "Changes the graph of tickets by one operation or several, all or nothing.", body: smallBody, handle: postMutate},
	}
}
