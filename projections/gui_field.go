package projections

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"manualslop/events"
)

// FieldType is the type of a GUI field, named as in JSON Schema.
type FieldType string

// Types of GUI fields.
const (
	FieldText    FieldType = "string"
	FieldBool    FieldType = "boolean"
	FieldInteger FieldType = "integer"
	FieldNumber  FieldType = "number"
	FieldList    FieldType = "array"
	FieldObject  FieldType = "object"
)

// MaxGUIValue limits the size of a stored field's value as JSON, in bytes.
const MaxGUIValue = events.MaxInline

// ErrGUIValue means that a value is not valid for a field.
var ErrGUIValue = errors.New("invalid value for the field")

// GUIField is a named value that clients can set and get; all names are in one flat namespace. A
// field is either stored, with its value in the read model "gui", or bound to the model that owns
// the value.
type GUIField struct {
	Name    string
	Aliases []string // other names
	Type    FieldType
	Doc     string   // one sentence
	Values  []string // allowed strings; empty means any

	// Default is the value of a stored field that was never set.
	Default any
	// Read returns the value of a bound field; nil if the field is stored.
	Read func(*GUISources) any
	// Say returns the event that sets a bound field; nil if the field is read-only.
	Say func(json.RawMessage) (events.Payload, error)
}

// Stored reports whether the value is in the read model "gui".
func (f *GUIField) Stored() bool { return f.Read == nil }

// Settable reports whether set_value can be used for the field.
func (f *GUIField) Settable() bool { return f.Stored() || f.Say != nil }

// Check returns ErrGUIValue, with what is allowed, if a value is not valid for the field.
func (f *GUIField) Check(raw json.RawMessage) error {
	switch raw = bytes.TrimSpace(raw); {
	case !f.Settable():
		return fmt.Errorf("%w: it can only be read", ErrGUIValue)
	case len(raw) == 0:
		return fmt.Errorf("%w: value is missing", ErrGUIValue)
	case len(raw) > MaxGUIValue:
		return fmt.Errorf("%w: it has %d bytes, at most %d are allowed", ErrGUIValue, len(raw), MaxGUIValue)
	case !f.Type.holds(raw):
		return fmt.Errorf("%w: it must have the type %s", ErrGUIValue, f.Type)
	case len(f.Values) > 0 && !slices.Contains(f.Values, textOf(raw)):
		return fmt.Errorf("%w: it must be one of %s", ErrGUIValue, strings.Join(f.Values, ", "))
	}
	if f.Say == nil {
		return nil
	}
	if _, err := f.Say(raw); err != nil {
		return fmt.Errorf("%w: %w", ErrGUIValue, err)
	}
	return nil
}

// holds reports whether raw, a JSON value without surrounding space, has the type.
func (t FieldType) holds(raw []byte) bool {
	switch t {
	case FieldText:
		return raw[0] == '"'
	case FieldBool:
		return string(raw) == "true" || string(raw) == "false"
	case FieldInteger:
		n, err := strconv.ParseFloat(string(raw), 64)
		return err == nil && n == math.Trunc(n) && math.Abs(n) <= 1<<53
	case FieldNumber:
		_, err := strconv.ParseFloat(string(raw), 64)
		return err == nil
	case FieldList:
		return raw[0] == '['
	case FieldObject:
		return raw[0] == '{'
	}
	return false
}

// textOf returns the value of a JSON string; empty for anything else.
func textOf(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s)
	return s
}

// GUIFields returns all fields, sorted by name.
func GUIFields() []GUIField {
	all := slices.Concat(guiModelFields(), guiTierFields(), guiRosterFields(), guiTeamFields(), guiProjectFields(),
		guiTalkFields(), guiViewFields(), guiRetrievalFields())
	slices.SortFunc(all, func(a, b GUIField) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// guiIndex holds the fields by name and by alias.
var guiIndex = func() map[string]*GUIField {
	index := map[string]*GUIField{}
	all := GUIFields()
	for i := range all {
		for _, name := range append([]string{all[i].Name}, all[i].Aliases...) {
			if index[name] != nil {
				panic("projections: two fields are called " + name) // a bug
			}
			index[name] = &all[i]
		}
	}
	return index
}()

// GUIFieldOf returns a field by name or alias, optionally with the prefix "ui_" that the original
// system uses. It returns nil if there is none.
func GUIFieldOf(name string) *GUIField {
	if f := guiIndex[name]; f != nil {
		return f
	}
	return guiIndex[strings.TrimPrefix(name, "ui_")]
}

// Actions of tasks for POST /api/gui, named as in the original system.
const (
	GUISetValue   = "set_value"
	GUIClick      = "click"
	GUISelectTab  = "select_tab"
	GUISelectItem = "select_list_item"
	GUICallback   = "custom_callback"
	GUIPushEvent  = "push_event"
	GUIAsk        = "ask"                // recorded only
	GUIClearAsk   = "clear_ask"          // recorded only
	GUIAIResponse = "handle_ai_response" // recorded only
	GUIRaw        = ""                   // a task without an action, which is only recorded
)

// ErrGUITask means that a task is not valid.
var ErrGUITask = errors.New("not a valid task")

// GUITask is a parsed task. It unifies the different spellings in the original system's
// documentation.
type GUITask struct {
	Action   string
	Item     string                     // the field, button, tab bar, list box, callback or kind of event
	Value    json.RawMessage            // the value, tab, entry, payload; nil if none was given
	UserData json.RawMessage            // data of a click; nil if none was given
	Members  map[string]json.RawMessage // all members, unchanged
}

// guiSpelling lists the possible names of an action's members, preferred first.
type guiSpelling struct{ item, value []string }

func spellingOf(action string) (guiSpelling, bool) {
	switch action {
	case GUISetValue:
		return guiSpelling{[]string{"item", "field", "tag", "name"}, []string{"value"}}, true
	case GUIClick:
		return guiSpelling{[]string{"item", "button", "tag", "name"}, []string{"args"}}, true
	case GUISelectTab:
		return guiSpelling{[]string{"tab_bar", "item", "tag"}, []string{"tab", "value", "item_value"}}, true
	case GUISelectItem:
		return guiSpelling{[]string{"listbox", "list", "item", "tag"}, []string{"item_value", "value"}}, true
	case GUICallback:
		return guiSpelling{[]string{"callback", "name", "item"}, []string{"args"}}, true
	case GUIPushEvent:
		return guiSpelling{[]string{"event_type", "event", "type", "item"}, []string{"payload", "value", "data"}}, true
	case GUIAsk, GUIClearAsk, GUIAIResponse, GUIRaw:
		return guiSpelling{[]string{"request_id", "item"}, []string{"payload", "data", "response"}}, true
	}
	return guiSpelling{}, false
}

// ReadGUITask parses a task. The action may also be given as "type". An unknown action with a
// payload is an event to push, as the original system's client sends it; an unknown type is a raw
// task. The error says what is wrong; the task then holds the parts that could be read.
func ReadGUITask(raw json.RawMessage) (GUITask, error) {
	var t GUITask
	if err := json.Unmarshal(raw, &t.Members); err != nil || t.Members == nil {
		return t, fmt.Errorf("%w: it is not an object", ErrGUITask)
	}
	var err error
	if t.Action, err = t.name("action", "type"); err != nil {
		return t, err
	}
	spelling, known := spellingOf(t.Action)
	switch payload, pushed := t.Members["payload"]; {
	case known:
	case t.Members["action"] == nil:
		t.Action = GUIRaw
		return t, nil
	default:
		if !pushed {
			return t, fmt.Errorf("%w: there is no such action", ErrGUITask)
		}
		t.Action, t.Item, t.Value = GUIPushEvent, t.Action, payload
		return t, nil
	}
	if t.Item, err = t.name(spelling.item...); err != nil {
		return t, err
	}
	t.Value, t.UserData = t.first(spelling.value...), t.userData()
	if t.Item == "" && !t.recordedOnly() {
		return t, fmt.Errorf("%w: %s is missing or empty", ErrGUITask, spelling.item[0])
	}
	return t, nil
}

// recordedOnly reports whether the task is only recorded and has no effect.
func (t GUITask) recordedOnly() bool {
	return t.Action == GUIAsk || t.Action == GUIClearAsk || t.Action == GUIAIResponse || t.Action == GUIRaw
}

func (t GUITask) first(names ...string) json.RawMessage {
	for _, n := range names {
		if raw, ok := t.Members[n]; ok {
			return raw
		}
	}
	return nil
}

// name returns the first of these members that is present, or "".
func (t GUITask) name(members ...string) (string, error) {
	raw := t.first(members...)
	if raw == nil {
		return "", nil
	}
	var s *string
	switch err := json.Unmarshal(raw, &s); {
	case err != nil || s == nil:
		return "", fmt.Errorf("%w: %s must be a string", ErrGUITask, members[0])
	case len(*s) > events.MaxIDLength:
		return "", fmt.Errorf("%w: %s must have at most %d bytes", ErrGUITask, members[0], events.MaxIDLength)
	}
	return *s, nil
}

// userData returns the data of a click: user_data, at the top level or in kwargs, else the first
// of args.
func (t GUITask) userData() json.RawMessage {
	if raw := t.first("user_data"); raw != nil {
		return raw
	}
	var kwargs map[string]json.RawMessage
	if json.Unmarshal(t.first("kwargs"), &kwargs) == nil && kwargs["user_data"] != nil {
		return kwargs["user_data"]
	}
	var args []json.RawMessage
	if json.Unmarshal(t.first("args"), &args) == nil && len(args) > 0 {
		return args[0]
	}
	return nil
}
