package hookgw

import (
	"net/http"

	"manualslop/hookgw/access"
	"manualslop/projections/search"
)

// logRoutes keep and prune the log files of sessions, and search the record.
func logRoutes() []Route {
	const get, post, group = http.MethodGet, http.MethodPost, "Logs"
	of := []Parameter{sessionParameter()}
	done := struct {
		Status string `json:"status"`
	}{}
	return []Route{
		{Method: get, Pattern: "/api/search", Right: access.RightRead, Group: group, Doc: "Finds words in the events of every session.", Gives: search.Answer{}, handle: getSearch, Query: []Parameter{
			{Name: "q", Type: "string", Doc: "Words, \"phrases\", word*, -word, and type: tier: ticket: tool: session: before: after:."},
			{Name: "limit", Type: "integer", Doc: "How many hits, at most 1000; 20 where it is left out."},
			{Name: "offset", Type: "integer", Doc: "How many hits to pass over, at most 10000."},
			{Name: "sort", Type: "string", Doc: "newest (where it is left out) or score."},
		}},
		{Method: post, Pattern: "/api/logs/star", Right: access.RightHuman, Group: group, Query: of, Doc: "Keeps the log files of a session, or no longer does.",
			Takes: starRequest{}, Gives: done, body: smallBody, handle: postStar},
		{Method: post, Pattern: "/api/logs/restore", Right: access.RightHuman, Group: group, Query: of, Doc: "Brings back the log files of a session that were pruned.",
			Takes: struct{}{}, Gives: done, body: smallBody, handle: postRestore},
	}
}
