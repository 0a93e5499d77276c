// Package project reads, changes, saves and switches the project document.
package project

import (
	"net/http"

	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/request"
	"manualslop/projections"
)

// Routes returns the routes that show, change, load and save the project document.
func Routes(g *core.State) []request.Route {
	const get, post, group = http.MethodGet, http.MethodPost, "Project"
	of := []request.Parameter{request.SessionParameter()}
	return []request.Route{
		{Method: get, Pattern: "/api/project", Right: access.RightRead, Group: group, Query: of, Gives: projectAnswer{},
			Doc: "Returns the project and the active discussion, in the flat form of Manual " +
				"Slop.", Handle: g.In(getProject())},
		{Method: post, Pattern: "/api/project", Right: access.RightHuman, Group: group, Query: of, Takes: projectRequest{},
			Gives: request.StatusAnswer{}, Body: request.SmallBody, Handle: g.In(postProject),
			Doc: "Merges tables into the project document; null removes a key."},
		{Method: get, Pattern: "/api/project/document", Right: access.RightRead, Group: group, Query: of,
			Gives: projections.Project{}, Doc: "Returns the whole document, its file, and the keys without effect.",
			Handle: g.In(getProjectDocument())},
		{Method: get, Pattern: "/api/project_switch_status", Right: access.RightRead, Group: group, Query: of,
			Gives: projections.ProjectSwitch{}, Doc: "Returns the state of the last project switch.",
			Handle: g.In(getProjectSwitch())},
		{Method: post, Pattern: "/api/project/switch", Right: access.RightHuman, Group: group, Query: of,
			Takes: SwitchRequest{}, Gives: switchAnswer{}, Body: request.SmallBody, Handle: g.In(postProjectSwitch),
			Doc: "Switches to another project document below the project folder."},
		{Method: post, Pattern: "/api/project/load", Right: access.RightHuman, Group: group, Query: of,
			Takes: SwitchRequest{}, Gives: switchAnswer{}, Body: request.SmallBody, Handle: g.In(postProjectLoad),
			Doc: "Loads a project document; without a path it reloads the current one."},
		{Method: post, Pattern: "/api/project/save", Right: access.RightHuman, Group: group, Query: of, Takes: SaveRequest{},
			Gives: saveAnswer{}, Body: request.SmallBody, Handle: g.In(postProjectSave),
			Doc: "Writes the project document to its file, unless the file was changed in the meantime."},
	}
}
