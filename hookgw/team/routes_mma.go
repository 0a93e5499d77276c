package team

import (
	"net/http"

	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/request"
	"manualslop/hookgw/wire"
	"manualslop/projections"
)

// Routes returns the routes that control the team's workers, its pipeline and its graph.
func Routes(g *core.State) []request.Route {
	const get, post, group = http.MethodGet, http.MethodPost, "Workers"
	of := []request.Parameter{request.SessionParameter()}
	unanswered := func(gives any) []request.Answer {
		return []request.Answer{{Status: http.StatusAccepted, Doc: "The request is recorded; the conductor has " +
			"not answered yet.",
			Gives: gives}}
	}
	crew := request.View("workers", func(s *projections.Set) (any, error) { return s.View("workers") }, "workers")
	return []request.Route{
		{Method: get, Pattern: "/api/mma/workers", Right: access.RightRead, Group: group,
			Gives: projections.Workers{}, Query: append(of, request.AtParameter()),
			Doc: "Lists every running worker: what it does and waits for, its calls, asks, tokens, trace and the " +
				"end of its text; also lists the newest idle " +
				"workers.", Handle: func(c *request.Call) error { return c.ShowAt(c.Core.Past, crew) }},
		{Method: post, Pattern: "/api/mma/workers/spawn", Right: access.RightHuman, Group: group, Query: of,
			Takes: spawnBody{}, Gives: wire.SpawnAnswer{}, Also: unanswered(wire.SpawnAnswer{}),
			Doc:  "Adds a worker with its own ticket; the same request_id joins the existing one.",
			Body: request.SmallBody, Handle: g.In(postSpawn)},
		{Method: post, Pattern: "/api/mma/workers/kill", Right: access.RightHuman, Group: group, Query: of, Takes: killBody{},
			Gives: killAnswer{}, Also: unanswered(killAnswer{}),
			Doc:  "Ends the running attempt of a worker: its calls are cancelled, its ticket is blocked.",
			Body: request.SmallBody, Handle: g.In(postKill)},
		{Method: post, Pattern: "/api/mma/pipeline/pause", Right: access.RightHuman, Group: group, Query: of,
			Takes: struct{}{}, Gives: pipelineAnswer{}, Also: unanswered(pipelineAnswer{}),
			Doc: "Starts no new work; running work finishes.", Body: request.SmallBody, Handle: g.In(postPause)},
		{Method: post, Pattern: "/api/mma/pipeline/resume", Right: access.RightHuman, Group: group, Query: of,
			Takes: struct{}{}, Gives: pipelineAnswer{}, Also: unanswered(pipelineAnswer{}),
			Doc: "Ends a pause.", Body: request.SmallBody, Handle: g.In(postResume)},
		{Method: post, Pattern: "/api/mma/dag/mutate", Right: access.RightHuman, Group: group, Query: of, Takes: mutateBody{},
			Gives: wire.MutateAnswer{}, Also: unanswered(wire.MutateAnswer{}),
			Doc: "Changes the graph of tickets with one or more operations, all or nothing.", Body: request.SmallBody,
			Handle: g.In(postMutate)},
	}
}
