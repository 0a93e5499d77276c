// Package gui serves the fields, buttons and lists of the original's window.
package gui

import (
	"net/http"

	"manualslop/hookgw/access"
	"manualslop/hookgw/core"
	"manualslop/hookgw/request"
	"manualslop/hookgw/wire"
)

// Routes are the window that the original had: its fields, buttons and lists.
func Routes(g *core.State) []request.Route {
	const get, post, group = http.MethodGet, http.MethodPost, "GUI"
	of := request.SessionParameter()
	name := []request.Parameter{{Name: "tag", Type: "string", Doc: "Name of a field, tab bar, list box or ticket."},
		{Name: "item", Type: "string", Doc: "The same."}, {Name: "field", Type: "string", Doc: "The same."}, of}
	return []request.Route{
		{Method: get, Pattern: "/api/gui", Right: access.RightRead, Group: group, Query: []request.Parameter{of},
			Gives: wire.GUIPage{}, Handle: g.In(getGUI),
			Doc: "Every field with its type, meaning and value, every button and callback with what it does."},
		{Method: post, Pattern: "/api/gui", Right: access.RightHuman, Group: group, Query: []request.Parameter{of},
			Takes: map[string]any{}, Gives: queuedAnswer{}, Body: request.SmallBody, Handle: g.In(postGUI),
			Doc: "Queues a task and does it: set_value, click, select_tab, select_list_item, custom_callback, push_event, or " +
				"anything; one that fails shows in /api/events as gui_task_failed."},
		{Method: get, Pattern: "/api/gui/value", Right: access.RightRead, Group: group, Query: name, Gives: guiValue{},
			Doc:    "The value of a field, or the status of a ticket; null where nothing has that name.",
			Handle: g.In(getGUIValue)},
		{Method: get, Pattern: "/api/gui/value/{tag}", Right: access.RightRead, Group: group, Query: []request.Parameter{of},
			Gives: guiValue{}, Doc: "The same, named in the path.", Handle: g.In(getGUIValue)},
		{Method: get, Pattern: "/api/gui/state", Right: access.RightRead, Group: group, Query: []request.Parameter{of},
			Gives: map[string]any{}, Doc: "The value of every field by name.", Handle: g.In(getGUIState)},
	}
}
