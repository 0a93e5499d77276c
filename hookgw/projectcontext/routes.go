// Package projectcontext controls what models see of the project: files, slices, presets and injected views.
package projectcontext

import (
	"net/http"

	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/discussions"
	"manualslop/hookgw/request"
	"manualslop/hookgw/wire"
)

// Routes returns the routes that show and choose which parts of the files the team sees.
func Routes(g *core.State) []request.Route {
	const get, post, group = http.MethodGet, http.MethodPost, "Context"
	of := []request.Parameter{request.SessionParameter()}
	row := func(path, doc string, takes any, handle func(*core.Call) error) request.Route {
		return request.Route{Method: post, Pattern: "/api/context" + path, Right: access.RightHuman, Group: group, Query: of,
			Doc: doc, Takes: takes, Gives: trackAnswer{}, Body: request.SmallBody, Handle: g.In(handle)}
	}
	inject := row("/inject", "Adds a view of a file to a discussion, as an entry with the role "+
		"Context.", injectRequest{},
		postInject)
	inject.Gives, inject.Also = wire.InjectAnswer{}, []request.Answer{{Status: http.StatusAccepted,
		Doc: "The request is recorded; no worker has answered yet.", Gives: injectAccepted{}}}
	slice := row("/slices", "Records lines of a file, with anchor lines that locate them when it changes: in a "+
		"preset, or in the project, whose tickets then see these lines instead of the whole "+
		"file.", wire.SliceRequest{}, postSlice)
	slice.Gives = wire.SliceAnswer{}
	return []request.Route{
		{Method: get, Pattern: "/api/context/state", Right: access.RightRead, Group: group, Query: of,
			Gives: wire.ContextState{}, Doc: "Returns tracked files, views, injected entries, presets and the " +
				"files' dependencies.",
			Handle: g.In(getContextState())},
		{Method: get, Pattern: "/api/context/preview", Right: access.RightHuman, Group: group, Query: previewQuery(),
			Gives: wire.ContextPreview{}, Doc: "Returns the context of the next turn of a discussion as the Markdown that its " +
				"model would get, or that of a recorded request, in parts with tokens and prices. Nothing is sent or recorded. " +
				"Passages that match the text are found by its words, even if retrieval uses vectors.",
			Handle: g.In(getPreview)},
		inject,
		slice,
		row("/rescan", "Evaluates the project's file patterns again.", nothing{}, postRescan),
		{Method: get, Pattern: "/api/context/presets", Right: access.RightRead, Group: group, Query: of, Gives: presetList{},
			Doc: "Lists the context presets, and which one was loaded last.", Handle: g.In(getPresets())},
		row("/presets/save", "Saves a selection of files and screenshots under a name; without files, that of "+
			"the project.",
			presetRequest{}, postPresetSave),
		row("/presets/load", "Replaces the project's files and screenshots with those of a "+
			"preset.", discussions.NameRequest{},
			postPresetLoad),
		row("/presets/delete", "Removes a preset; the selection stays.", discussions.NameRequest{}, postPresetDelete),
	}
}
