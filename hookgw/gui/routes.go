// Package gui serves the fields, buttons and lists of Manual Slop's window.
package gui

import (
	"net/http"

	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/request"
	"manualslop/hookgw/wire"
)

// Routes returns the routes for the window of Manual Slop: its fields, buttons and lists.
func Routes(g *core.State) []request.Route {
	const get, post, group = http.MethodGet, http.MethodPost, "GUI"
	of := request.SessionParameter()
	name := []request.Parameter{{Name: "tag", Type: "string", Doc: "Name of a field, tab bar, list box or ticket."},
		{Name: "item", Type: "string", Doc: "The same."}, {Name: "field", Type: "string", Doc: "The same."}, of}
	return []request.Route{
		{Method: get, Pattern: "/api/gui", Right: access.RightRead, Group: group, Query: []request.Parameter{of},
			Gives: wire.GUIPage{}, Handle: g.In(getGUI),
			Doc: "Lists every field with its type, meaning and value, and every button and callback with its action."},
		{Method: post, Pattern: "/api/gui", Right: access.RightHuman, Group: group, Query: []request.Parameter{of},
			Takes: map[string]any{}, Gives: queuedAnswer{}, Body: request.SmallBody, Handle: g.In(postGUI),
			Doc: "Queues a task and carries it out: set_value, click, select_tab, select_list_item, " +
				"custom_callback, push_event, or " +
				"any other; a task that fails appears in /api/events as gui_task_failed."},
		{Method: get, Pattern: "/api/gui/value", Right: access.RightRead, Group: group, Query: name, Gives: guiValue{},
			Doc:    "Returns the value of a field, or the status of a ticket; null if nothing has that name.",
			Handle: g.In(getGUIValue)},
		{Method: get, Pattern: "/api/gui/value/{tag}", Right: access.RightRead, Group: group, Query: []request.Parameter{of},
			Gives: guiValue{}, Doc: "The same, with the name in the path.", Handle: g.In(getGUIValue)},
		{Method: get, Pattern: "/api/gui/state", Right: access.RightRead, Group: group, Query: []request.Parameter{of},
			Gives: map[string]any{}, Doc: "Returns the value of every field by name.", Handle: g.In(getGUIState)},
	}
}
