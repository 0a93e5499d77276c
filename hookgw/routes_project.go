package hookgw

import (
	"net/http"

	"manualslop/hookgw/access"
	"manualslop/projections"
)

// projectRoutes show, change, load and save the project document.
func projectRoutes() []Route {
	const get, post, group = http.MethodGet, http.MethodPost, "Project"
	of := []Parameter{sessionParameter()}
	return []Route{
		{Method: get, Pattern: "/api/project", Right: access.RightRead, Group: group, Query: of, Gives: projectAnswer{}, Doc: "The project and the active discussion, in the original's flat shape.", handle: getProject()},
		{Method: post, Pattern: "/api/project", Right: access.RightHuman, Group: group, Query: of, Takes: projectRequest{}, Gives: statusAnswer{}, body: smallBody, handle: postProject,
			Doc: "Merges tables into the project document; null removes a key."},
		{Method: get, Pattern: "/api/project/document", Right: access.RightRead, Group: group, Query: of, Gives: projections.Project{}, Doc: "The whole document, its file, and which keys have no effect.", handle: getProjectDocument()},
		{Method: get, Pattern: "/api/project_switch_status", Right: access.RightRead, Group: group, Query: of, Gives: projections.ProjectSwitch{}, Doc: "How the last switch of projects stands.", handle: getProjectSwitch()},
		{Method: post, Pattern: "/api/project/switch", Right: access.RightHuman, Group: group, Query: of, Takes: switchRequest{}, Gives: switchAnswer{}, body: smallBody, handle: postProjectSwitch,
			Doc: "Goes over to another project document below the project folder."},
		{Method: post, Pattern: "/api/project/load", Right: access.RightHuman, Group: group, Query: of, Takes: switchRequest{}, Gives: switchAnswer{}, body: smallBody, handle: postProjectLoad,
			Doc: "Loads a project document, without a path the present one again."},
		{Method: post, Pattern: "/api/project/save", Right: access.RightHuman, Group: group, Query: of, Takes: saveRequest{}, Gives: saveAnswer{}, body: smallBody, handle: postProjectSave,
			Doc: "Writes the project document to its file, unless somebody else changed that."},
	}
}
