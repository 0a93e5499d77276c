// Package views serves read-only views of one session for people: its summary, its tickets as a graph, where its time
// goes, the conversations of its workers, and single events. Each is a pure function of the read models and the log,
// and with ?at= shows the session as it was at a position.
package views

import (
	"net/http"

	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/request"
	"manualslop/projections"
	"manualslop/projections/diffs"
)

// Routes returns the routes that read one session.
func Routes(g *core.State) []request.Route {
	of := []request.Parameter{request.SessionParameter(), request.AtParameter()}
	from := request.Parameter{Name: "from", Type: "integer", Doc: "Only what changed after this sequence, compared with " +
		"the contents at it."}
	get := func(path, doc string, gives any, handle func(*core.Call) error, more ...request.Parameter) request.Route {
		return request.Route{Method: http.MethodGet, Pattern: path, Right: access.RightRead, Group: "Views", Doc: doc,
			Gives: gives, Also: []request.Answer{request.Known()}, Query: append(more, of...), Handle: g.In(handle)}
	}
	return []request.Route{
		get("/api/overview", "Returns a summary of a session: goal, state, whether it is paused, asks, tokens, cost, budget.",
			Overview{}, getOverview),
		get("/api/tickets", "Lists the tickets of a session with their work, what each waits for, and its place in a drawing "+
			"of the graph.", Tickets{}, getTickets),
		get("/api/spans", "Lists what took time in a session: goals, attempts, requests to models, calls, and waits "+
			"for the user; the newest ones, in the order in which they began.", Spans{}, getSpans,
			request.Parameter{Name: "before", Type: "integer", Doc: "Only spans that began before this sequence."},
			request.Parameter{Name: "limit", Type: "integer", Doc: "Number of spans, at most 20000; default 1000."}),
		get("/api/conversation", "Returns the conversation of a worker in an attempt: for each request to its model "+
			"the new parts, the thoughts, the text, and the calls with their results.", Conversation{}, getConversation,
			request.Parameter{Name: "worker", Type: "string", Doc: "A worker_uid of GET /api/mma/workers: a ticket, or " +
				"tier1:, tier2: or tier4: and an id."},
			request.Parameter{Name: "attempt", Type: "integer", Doc: "The attempt at the ticket; default: the newest."}),
		get("/api/latencies", "Returns the median and the 95th percentile of how long requests to each model and "+
			"calls of each tool took.",
			Latencies{}, getLatencies),
		get("/api/settings", "Returns the recorded settings of a session: tiers, rules, budget, personas and presets, offered "+
			"tools, and whether it is paused.", projections.Settings{}, getSettings),
		get("/api/changes", "Lists the files that calls changed, with each write, and the calls whose changes are "+
			"unknown.",
			projections.Changes{}, getChanges,
			request.Parameter{Name: "ticket", Type: "string", Doc: "Only what this ticket changed."}, from),
		get("/api/changes/diff", "Returns the change of a file, with the difference between its content before and after.",
			diffs.File{}, getDiff,
			request.Parameter{Name: "path", Type: "string", Doc: "A path of GET /api/changes."},
			request.Parameter{Name: "workspace", Type: "string", Doc: "Its workspace; default: the user's folder."},
			request.Parameter{Name: "ticket", Type: "string", Doc: "Only what this ticket changed."}, from),
		get("/api/calls/{call}", "Returns a call of a tool with its result: whether it waits, runs or how it ended.",
			Called{}, getCall),
		{Method: http.MethodGet, Pattern: "/api/log/{seq}", Right: access.RightRead, Group: "Views",
			Doc: "Returns one complete event of a session.", Gives: Event{},
			Query: []request.Parameter{request.SessionParameter()}, Handle: g.In(getEvent)},
	}
}
