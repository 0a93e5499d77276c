package wire

import (
	"encoding/json"

	"manualslop/projections"
)

// GUIField is a field as GET /api/gui describes it.
type GUIField struct {
	Name     string                `json:"name"`
	Aliases  []string              `json:"aliases,omitempty"`
	Type     projections.FieldType `json:"type"`
	Settable bool                  `json:"settable"`
	Values   []string              `json:"values,omitempty"` // the allowed texts; none: any
	Doc      string                `json:"doc"`
	Value    any                   `json:"value"`
}

// GUIButton is a button of Manual Slop's window.
type GUIButton struct {
	ID       string   `json:"id"`
	Aliases  []string `json:"aliases,omitempty"`
	Doc      string   `json:"doc"`
	UserData string   `json:"user_data,omitempty"` // what it takes in user_data
}

// GUICallback is a name that custom_callback takes.
type GUICallback struct {
	Name   string `json:"name"`
	Button string `json:"button"` // the button with the same effect
	Doc    string `json:"doc"`
}

// GUIPage is the answer of GET /api/gui: fields, buttons and callbacks, with their current values.
type GUIPage struct {
	Actions   []string                   `json:"actions"`
	Fields    []GUIField                 `json:"fields"`
	Buttons   []GUIButton                `json:"buttons"`
	Callbacks []GUICallback              `json:"callbacks"`
	Tabs      map[string]string          `json:"tabs"`  // the selected one by tab bar
	Lists     map[string]json.RawMessage `json:"lists"` // the selected entry by list box
	Tasks     []projections.GUITaskRow   `json:"tasks"` // the newest, oldest first
}
