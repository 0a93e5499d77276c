package team

import (
	"net/http"

	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/request"
	"manualslop/hookgw/wire"
)

// ControlRoutes returns the routes that control the team.
func ControlRoutes(g *core.State) []request.Route {
	const post, group = http.MethodPost, "Control"
	of := []request.Parameter{request.SessionParameter()}
	return []request.Route{
		{Method: post, Pattern: "/api/goal", Right: access.RightHuman, Group: group, Query: of, Doc: "Submits a goal to " +
			"the team.",
			Takes: goalBody{}, Gives: goalAnswer{}, Body: request.SmallBody, Handle: g.In(postGoal)},
		{Method: post, Pattern: "/api/control", Right: access.RightHuman, Group: group, Query: of,
			Doc: "Pauses or resumes the session; kills, retries, blocks or unblocks a ticket; adds a note; or sets step " +
				"mode.", Takes: control{},
			Gives: request.StatusAnswer{}, Also: []request.Answer{{Status: http.StatusAccepted, Doc: "The request is " +
				"recorded; the " +
				"conductor has not answered yet.", Gives: request.HintedAnswer{}}}, Body: request.SmallBody,
			Handle: g.In(postControl)},
		{Method: post, Pattern: "/api/changes/accept", Right: access.RightHuman, Group: group, Query: of,
			Doc: "Accepts a file as calls left it, so that lists of changes can leave it out until it changes again; " +
				"409 if its content has changed or is unknown.", Takes: acceptBody{}, Gives: request.StatusAnswer{},
			Body: request.SmallBody, Handle: g.In(postAccept)},
		{Method: post, Pattern: "/api/undo", Right: access.RightHuman, Group: group, Query: of,
			Doc: "Restores the content that files had before a call, before everything that a ticket did, or at " +
				"a position of the log, also in a closed session; with path only that file. Refused if they changed since.", Takes: undoBody{},
			Gives: wire.UndoAnswer{}, Also: []request.Answer{{Status: http.StatusAccepted, Doc: "The request is " +
				"recorded; no worker has " +
				"carried it out yet.", Gives: request.HintedAnswer{}}}, Body: request.SmallBody, Handle: g.In(postUndo)},
		{Method: post, Pattern: "/api/sessions/close", Right: access.RightHuman, Group: group, Query: of,
			Doc: "Closes a session and gives up its goal: all work on it stops.", Takes: struct{}{},
			Gives: request.StatusAnswer{}, Body: request.SmallBody, Handle: g.In(postClose)},
		{Method: post, Pattern: "/api/sessions/upgrade", Right: access.RightHuman, Group: group, Query: of,
			Doc: "Switches an open session to the prompts, tools and decisions of this program, from its next " +
				"request on; " +
				"409 if it already uses those of a newer " +
				"program.", Takes: struct{}{}, Gives: upgradeAnswer{}, Body: request.SmallBody,
			Handle: g.In(postUpgrade)},
	}
}
