// Package projectcontext says what models are shown of the project: files, slices,
// presets and injected views.
package projectcontext

import (
	"net/http"

	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/discussions"
	"manualslop/hookgw/request"
	"manualslop/hookgw/wire"
)

// Routes show and choose what the team sees of the files.
func Routes(g *core.State) []request.Route {
	const get, post, group = http.MethodGet, http.MethodPost, "Context"
	of := []request.Parameter{request.SessionParameter()}
	row := func(path, doc string, takes any, handle func(*core.Call) error) request.Route {
		return request.Route{Method: post, Pattern: "/api/context" + path, Right: access.RightHuman, Group: group, Query: of,
			Doc: doc, Takes: takes, Gives: trackAnswer{}, Body: request.SmallBody, Handle: g.In(handle)}
	}
	inject := row("/inject", "Puts a view of a file into a discussion, as an entry of the role Context.", injectRequest{},
		postInject)
	inject.Gives, inject.Also = wire.InjectAnswer{}, []request.Answer{{Status: http.StatusAccepted,
		Doc: "It is on record; no worker has answered yet.", Gives: injectAccepted{}}}
	slice := row("/slices", "Records lines of a file, with those by which they are found again when it changes: in a "+
		"preset, or in the project, whose tickets then see them in the file's place.", wire.SliceRequest{}, postSlice)
	slice.Gives = wire.SliceAnswer{}
	return []request.Route{
		{Method: get, Pattern: "/api/context/state", Right: access.RightRead, Group: group, Query: of,
			Gives: wire.ContextState{}, Doc: "Tracked files, views, injected entries, presets and what files depend on.",
			Handle: g.In(getContextState())},
		inject,
		slice,
		row("/rescan", "Finds the files again that the project's patterns stand for.", nothing{}, postRescan),
		{Method: get, Pattern: "/api/context/presets", Right: access.RightRead, Group: group, Query: of, Gives: presetList{},
			Doc: "The context presets, and which one was loaded last.", Handle: g.In(getPresets())},
		row("/presets/save", "Names a selection of files and screenshots; without files that of the project.",
			presetRequest{}, postPresetSave),
		row("/presets/load", "Makes a preset the project's files and screenshots.", discussions.NameRequest{},
			postPresetLoad),
		row("/presets/delete", "Removes a preset; the selection stays.", discussions.NameRequest{}, postPresetDelete),
	}
}
