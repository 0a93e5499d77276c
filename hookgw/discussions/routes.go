// Package discussions serves the discussions of a session and their entries.
package discussions

import (
	"net/http"

	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/request"
)

// Routes returns the routes for the discussions of a session and their takes.
func Routes(g *core.State) []request.Route {
	const get, post, group = http.MethodGet, http.MethodPost, "Discussions"
	of := []request.Parameter{request.SessionParameter()}
	row := func(path, doc string, takes any, handle func(*core.Call) error) request.Route {
		return request.Route{Method: post, Pattern: "/api/discussions" + path, Right: access.RightHuman, Group: group,
			Query: of, Doc: doc, Takes: takes, Gives: discussionAnswer{}, Body: request.SmallBody, Handle: g.In(handle)}
	}
	history := row("/import", "Imports the discussions of a history.toml of Manual Slop.", importRequest{}, postImport)
	history.Body, history.Gives = request.SessionBody, importAnswer{}
	send := row("/send", "Adds a message to a discussion and asks its model, which sees the current discussion, "+
		"its injected views and the tracked files. The answer becomes an entry; every gate applies.", sendBody{}, postSend)
	send.Gives = sendAnswer{}
	shorter := row("/compact", "Asks the model of a discussion to summarise all but its last entries, without "+
		"tools. The discussion then continues in a take that begins with the summary; the old take stays "+
		"unchanged.", compactBody{},
		postCompact)
	shorter.Gives = compactAnswer{}
	return []request.Route{
		{Method: get, Pattern: "/api/discussions", Right: access.RightRead, Group: group, Gives: discussionList{},
			Query: append(of, request.AtParameter()),
			Doc:   "Lists the discussions, their roles, and which one is active.", Handle: g.In(getDiscussions())},
		{Method: get, Pattern: "/api/discussions/entries", Right: access.RightRead, Group: group, Gives: entryList{},
			Doc: "Lists the entries of a discussion, with the ids for editing them.", Handle: g.In(getEntries),
			Query: []request.Parameter{{Name: "name", Type: "string", Doc: "Name of the discussion; empty: the " +
				"active one."},
				request.SessionParameter(), request.AtParameter()}},
		{Method: get, Pattern: "/api/discussions/export", Right: access.RightRead, Group: group, Query: of,
			Gives: exportAnswer{}, Doc: "Returns every discussion as a history.toml of Manual " +
				"Slop.", Handle: g.In(getExport)},
		{Method: get, Pattern: "/api/discussions/turns", Right: access.RightRead, Group: group, Query: of, Gives: turnList{},
			Doc: "Lists the models' turns in discussions: the ones still waiting for an answer, and the last " +
				"ones that ended.",
			Handle: request.Model("turns")},
		send,
		shorter,
		row("/create", "Creates an empty discussion.", NameRequest{}, postCreate),
		row("/branch", "Branches a take off a discussion, at any entry.", branchRequest{}, postBranch),
		row("/open", "Creates a discussion from the conversation of a blocked ticket; POST /api/control with retry "+
			"or unblock attaches it to the ticket again.", openRequest{}, postOpen),
		row("/switch", "Makes a discussion the active one.", NameRequest{}, postSwitch),
		row("/promote", "Renames a take to a top-level name.", renameRequest{}, postPromote),
		row("/rename", "Renames a discussion.", renameRequest{}, postRename),
		row("/delete", "Removes a discussion; the record keeps it.", NameRequest{}, postDelete),
		row("/roles", "Replaces the roles that entries may have.", rolesRequest{}, postRoles),
		row("/entries/add", "Adds an entry.", entryRequest{}, postEntryAdd),
		row("/entries/edit", "Changes role, content or collapsed of an entry.", entryEdit{}, postEntryEdit),
		row("/entries/delete", "Removes an entry.", entryName{}, postEntryDelete),
		history,
	}
}
