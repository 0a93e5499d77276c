package hookgw

import (
	"net/http"

	"manualslop/hookgw/access"
)

// controlRoutes tell the team what to do.
func controlRoutes() []Route {
	const post, group = http.MethodPost, "Control"
	of := []Parameter{sessionParameter()}
	return []Route{
		{Method: post, Pattern: "/api/goal", Right: access.RightHuman, Group: group, Query: of, Doc: "Gives the team a goal.", Takes: goalBody{}, Gives: goalAnswer{}, body: smallBody, handle: postGoal},
		{Method: post, Pattern: "/api/control", Right: access.RightHuman, Group: group, Query: of, Doc: "Pauses, resumes, kills, retries, blocks, unblocks, or sets step mode.", Takes: control{}, Gives: statusAnswer{}, Also: []Answer{{http.StatusAccepted, "It is on record; the conductor has not answered yet.", hintedAnswer{}}}, body: smallBody, handle: postControl},
		{Method: post, Pattern: "/api/undo", Right: access.RightHuman, Group: group, Query: of, Doc: "Gives files the content that they had before a call, before everything that a ticket did, or at a position of the log, also in a session that is over; refused where they changed since.", Takes: undoBody{}, Gives: UndoAnswer{}, Also: []Answer{{http.StatusAccepted, "It is on record; nobody has carried it out yet.", hintedAnswer{}}}, body: smallBody, handle: postUndo},
		{Method: post, Pattern: "/api/sessions/close", Right: access.RightHuman, Group: group, Query: of, Doc: "Ends a session whose goal is given up: nobody works on it any more.", Takes: struct{}{}, Gives: statusAnswer{}, body: smallBody, handle: postClose},
	}
}
