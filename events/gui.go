package events

import "encoding/json"

// GUITaskQueued is a task that came to POST /api/gui, as it came: the word of a
// person about fields, buttons, tabs and lists that the original drew in its
// window. What follows from it is said by further events whose cause it is.
type GUITaskQueued struct {
	Task json.RawMessage `json:"task"` // an object; masked
}

// EventType is the identity on the wire.
func (GUITaskQueued) EventType() Type { return Type{"GUITaskQueued", 1} }

// GUITaskFailed says that a queued task did nothing, or not all of what it asked.
type GUITaskFailed struct {
	Queued  string          `json:"queued"`            // id of its GUITaskQueued
	Task    json.RawMessage `json:"task"`              // as queued; only its head where it is large
	Action  string          `json:"action,omitempty"`  // as understood
	Item    string          `json:"item,omitempty"`    // the field, button, callback … that it names
	Error   string          `json:"error"`             // what is wrong and what to do
	Nearest []string        `json:"nearest,omitempty"` // known names that are like it
}

// EventType is the identity on the wire.
func (GUITaskFailed) EventType() Type { return Type{"GUITaskFailed", 1} }

// EventCorr is the task.
func (e GUITaskFailed) EventCorr() string { return e.Queued }

func guiDefs() []Def {
	task := json.RawMessage(`{"action":"set_value","item":"curent_model","value":"m1"}`)
	return []Def{
		Define(Command, "person", "A task came to POST /api/gui.", GUITaskQueued{task}),
		Define(Notice, "gateway", "A task of POST /api/gui did not do what it asked.", GUITaskFailed{Queued: "01J",
			Task:   task,
			Action: "set_value", Item: "curent_model", Error: "there is no such field", Nearest: []string{"current_model"}}),
	}
}
