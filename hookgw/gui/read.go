package gui

import (
	"encoding/json"
	"errors"
	"net/http"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
	"manualslop/hookgw/wire"
	"manualslop/projections"
	"manualslop/projections/live"
)

// guiValue is the answer of GET /api/gui/value: null if nothing has that name.
type guiValue struct {
	Value json.RawMessage `json:"value"`
}

// getGUI describes every field, button and callback, with the current values.
func getGUI(c *core.Call) error { return c.Show(guiRendering()) }

func guiRendering() live.Rendering {
	return request.View("gui page", func(s *projections.Set) (any, error) {
		page := wire.GUIPage{
			Actions: []string{projections.GUISetValue, projections.GUIClick, projections.GUISelectTab, projections.GUISelectItem,
				projections.GUICallback,
				projections.GUIPushEvent, projections.GUIAsk, projections.GUIClearAsk, projections.GUIAIResponse},
			Callbacks: guiCallbacks(), Tasks: s.GUITasks(),
		}
		for _, b := range guiButtons() {
			page.Buttons = append(page.Buttons, wire.GUIButton{ID: b.ID, Aliases: b.Aliases, Doc: b.Doc, UserData: b.UserData})
		}
		page.Tabs, page.Lists = s.GUISelections()
		values := s.GUIState()
		for _, f := range projections.GUIFields() {
			page.Fields = append(page.Fields, wire.GUIField{Name: f.Name, Aliases: f.Aliases, Type: f.Type,
				Settable: f.Settable(), Values: f.Values, Doc: f.Doc, Value: values[f.Name]})
		}
		return page, nil
	})
}

// getGUIState returns every field's value by name.
func getGUIState(c *core.Call) error {
	return c.Show(request.View("gui state", func(s *projections.Set) (any, error) { return s.GUIState(), nil }))
}

// getGUIValue returns the value of the field in the path or the query.
func getGUIValue(c *core.Call) error {
	tag, query := c.Vars["tag"], c.Query()
	for _, name := range tagNames() {
		if tag == "" {
			tag = query.Get(name)
		}
	}
	switch {
	case tag == "":
		return problem.New(http.StatusBadRequest, "the request names no field", "Send ?tag=NAME or GET "+
			"/api/gui/value/NAME; GET "+
			"/api/gui lists the fields.")
	case len(tag) > events.MaxIDLength:
		return problem.New(http.StatusBadRequest, "the name is too long", "A name has at most 128 bytes.")
	}
	session, err := c.Session()
	if err != nil {
		return err
	}
	var out guiValue
	rerr := c.Read(session, func(s *projections.Set) { out.Value, err = json.Marshal(s.GUIValue(tag)) })
	if err := errors.Join(rerr, err); err != nil {
		return err
	}
	return c.Reply(http.StatusOK, out)
}

// tagNames returns the names under which a query may name a field.
func tagNames() []string { return []string{"tag", "item", "field"} }
