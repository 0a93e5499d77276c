package hookgw

import (
	"encoding/json"
	"errors"
	"net/http"

	"manualslop/events"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
	"manualslop/projections"
	"manualslop/projections/live"
)

// guiValue is the answer of GET /api/gui/value: null where nothing has that name.
type guiValue struct {
	Value json.RawMessage `json:"value"`
}

// GUIField is a field as GET /api/gui describes it.
type GUIField struct {
	Name     string                `json:"name"`
	Aliases  []string              `json:"aliases,omitempty"`
	Type     projections.FieldType `json:"type"`
	Settable bool                  `json:"settable"`
	Values   []string              `json:"values,omitempty"` // the texts that it takes; none: any
	Doc      string                `json:"doc"`
	Value    any                   `json:"value"`
}

// GUIPage is the answer of GET /api/gui: what there is, and how it stands.
type GUIPage struct {
	Actions   []string                   `json:"actions"`
	Fields    []GUIField                 `json:"fields"`
	Buttons   []GUIButton                `json:"buttons"`
	Callbacks []GUICallback              `json:"callbacks"`
	Tabs      map[string]string          `json:"tabs"`  // the selected one by tab bar
	Lists     map[string]json.RawMessage `json:"lists"` // the selected entry by list box
	Tasks     []projections.GUITaskRow   `json:"tasks"` // the newest, oldest first
}

// getGUI describes every field, button and callback, with the values of now.
func getGUI(c *call) error { return c.Show(guiRendering()) }

func guiRendering() live.Rendering {
	return request.View("gui page", func(s *projections.Set) (any, error) {
		page := GUIPage{
			Actions: []string{projections.GUISetValue, projections.GUIClick, projections.GUISelectTab, projections.GUISelectItem, projections.GUICallback,
				projections.GUIPushEvent, projections.GUIAsk, projections.GUIClearAsk, projections.GUIAIResponse},
			Buttons: guiButtons(), Callbacks: guiCallbacks(), Tasks: s.GUITasks(),
		}
		page.Tabs, page.Lists = s.GUISelections()
		values := s.GUIState()
		for _, f := range projections.GUIFields() {
			page.Fields = append(page.Fields, GUIField{f.Name, f.Aliases, f.Type, f.Settable(), f.Values, f.Doc, values[f.Name]})
		}
		return page, nil
	})
}

// getGUIState is every field's value by name.
func getGUIState(c *call) error {
	return c.Show(request.View("gui state", func(s *projections.Set) (any, error) { return s.GUIState(), nil }))
}

// getGUIValue is the value of the field that the path or the query names.
func getGUIValue(c *call) error {
	tag, query := c.Vars["tag"], c.Query()
	for _, name := range tagNames() {
		if tag == "" {
			tag = query.Get(name)
		}
	}
	switch {
	case tag == "":
		return problem.Refuse(http.StatusBadRequest, "no field is named", "Send ?tag=NAME or GET /api/gui/value/NAME; GET /api/gui lists the fields.")
	case len(tag) > events.MaxIDLength:
		return problem.Refuse(http.StatusBadRequest, "the name is too long", "A name has at most 128 bytes.")
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

// tagNames are the names under which a query may name a field.
func tagNames() []string { return []string{"tag", "item", "field"} }
