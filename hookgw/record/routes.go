// Package record serves recorded data: logs, timeline, search and blobs.
package record

import (
	"net/http"

	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/request"
	"manualslop/projections/search"
)

// Routes returns the routes that keep and prune the log files of sessions, and search the record.
func Routes(g *core.State) []request.Route {
	const get, post, group = http.MethodGet, http.MethodPost, "Logs"
	of := []request.Parameter{request.SessionParameter()}
	done := struct {
		Status string `json:"status"`
	}{}
	return []request.Route{
		{Method: get, Pattern: "/api/search", Right: access.RightRead, Group: group,
			Doc: "Searches the events of every session.", Gives: search.Answer{}, Handle: g.In(getSearch),
			Query: []request.Parameter{
				{Name: "q", Type: "string", Doc: "Words, \"phrases\", word*, -word, and type: tier: ticket: tool: session: " +
					"before: after:."},
				{Name: "limit", Type: "integer", Doc: "How many hits, at most 1000; default 20."},
				{Name: "offset", Type: "integer", Doc: "How many hits to skip, at most 10000."},
				{Name: "sort", Type: "string", Doc: "newest (default) or score."},
			}},
		{Method: post, Pattern: "/api/logs/star", Right: access.RightHuman, Group: group, Query: of,
			Doc:   "Keeps the log files of a session, or stops keeping them.",
			Takes: starRequest{}, Gives: done, Body: request.SmallBody, Handle: g.In(postStar)},
		{Method: post, Pattern: "/api/logs/restore", Right: access.RightHuman, Group: group, Query: of,
			Doc:   "Restores the pruned log files of a session.",
			Takes: struct{}{}, Gives: done, Body: request.SmallBody, Handle: g.In(postRestore)},
	}
}
