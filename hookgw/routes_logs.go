package hookgw

import "net/http"

// logRoutes keep and prune the log files of sessions, and search the record.
func logRoutes() []Route {
	const post, group = http.MethodPost, "Logs"
	of := []Parameter{sessionParameter()}
	done := struct {
		Status string `json:"status"`
	}{}
	return []Route{
		{Method: post, Pattern: "/api/logs/star", Right: RightHuman, Group: group, Query: of, Doc: "Keeps the log files of a session, or no longer does.",
			Takes: starRequest{}, Gives: done, body: smallBody, handle: postStar},
		{Method: post, Pattern: "/api/logs/restore", Right: RightHuman, Group: group, Query: of, Doc: "Brings back the log files of a session that were pruned.",
			Takes: struct{}{}, Gives: done, body: smallBody, handle: postRestore},
	}
}
