package hookgw

import (
	"net/http"

	"manualslop/hookgw/access"
	"manualslop/hookgw/request"
	"manualslop/projections/search"
)

// logRoutes keep and prune the log files of sessions, and search the record.
func (g *Gateway) logRoutes() []request.Route {
	const get, post, group = http.MethodGet, http.MethodPost, "Logs"
	of := []request.Parameter{request.SessionParameter()}
	done := struct {
		Status string `json:"status"`
	}{}
	return []request.Route{
		{Method: get, Pattern: "/api/search", Right: access.RightRead, Group: group, Doc: "Finds words in the events of every session.", Gives: search.Answer{}, Handle: g.in(getSearch), Query: []request.Parameter{
			{Name: "q", Type: "string", Doc: "Words, \"phrases\", word*, -word, and type: tier: ticket: tool: session: before: after:."},
			{Name: "limit", Type: "integer", Doc: "How many hits, at most 1000; 20 where it is left out."},
			{Name: "offset", Type: "integer", Doc: "How many hits to pass over, at most 10000."},
			{Name: "sort", Type: "string", Doc: "newest (where it is left out) or score."},
		}},
		{Method: post, Pattern: "/api/logs/star", Right: access.RightHuman, Group: group, Query: of, Doc: "Keeps the log files of a session, or no longer does.",
			Takes: starRequest{}, Gives: done, Body: request.SmallBody, Handle: g.in(postStar)},
		{Method: post, Pattern: "/api/logs/restore", Right: access.RightHuman, Group: group, Query: of, Doc: "Brings back the log files of a session that were pruned.",
			Takes: struct{}{}, Gives: done, Body: request.SmallBody, Handle: g.in(postRestore)},
	}
}
