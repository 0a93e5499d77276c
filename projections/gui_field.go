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

// FieldType is what a field of the GUI holds, as JSON Schema names it.
type FieldType string

// Types of fields.
const (
	FieldText    FieldType = "string"
	FieldBool    FieldType = "boolean"
	FieldInteger FieldType = "integer"
	FieldNumber  FieldType = "number"
	FieldList    FieldType = "array"
	FieldObject  FieldType = "object"
)

// MaxGUIValue bounds the value of a stored field in bytes of JSON.
const MaxGUIValue = events.MaxInline

// ErrGUIValue says that a field does not take a value.
var ErrGUIValue = errors.New("the field does not take this value")

// GUIField is a name of the one flat namespace of values that clients set and
// get. A field is either stored, and then its value is in the read model "gui",
// or bound to the model that owns its truth.
type GUIField struct {
	Name    string
	Aliases []string // other spellings
	Type    FieldType
	Doc     string   // one sentence
	Values  []string // the texts that it takes; none: any

	// Default is the value of a stored field that nobody set.
	Default any
	// Read gives the value of a bound field; nil: the field is stored.
	Read func(*GUISources) any
	// Say is the event by which a bound field is set; nil: it is not settable.
	Say func(json.RawMessage) (events.Payload, error)
}

// Stored tells whether the value is in the read model "gui".
func (f *GUIField) Stored() bool { return f.Read == nil }

// Settable tells whether set_value may name the field.
func (f *GUIField) Settable() bool { return f.Stored() || f.Say != nil }

// Check tells whether the field takes a value; ErrGUIValue, with what it takes,
// if not.
func (f *GUIField) Check(raw json.RawMessage) error {
	switch raw = bytes.TrimSpace(raw); {
	case !f.Settable():
		return fmt.Errorf("%w: it can only be read", ErrGUIValue)
	case len(raw) == 0:
		return fmt.Errorf("%w: value is missing", ErrGUIValue)
	case len(raw) > MaxGUIValue:
		return fmt.Errorf("%w: it has %d bytes, at most %d are taken", ErrGUIValue, len(raw), MaxGUIValue)
	case !f.Type.holds(raw):
		return fmt.Errorf("%w: it takes a value of the type %s", ErrGUIValue, f.Type)
	case len(f.Values) > 0 && !slices.Contains(f.Values, textOf(raw)):
		return fmt.Errorf("%w: it takes one of %s", ErrGUIValue, strings.Join(f.Values, ", "))
	}
	if f.Say == nil {
		return nil
	}
	if _, err := f.Say(raw); err != nil {
		return fmt.Errorf("%w: %w", ErrGUIValue, err)
	}
	return nil
}

// holds tells whether raw, a JSON value without space around it, is of the type.
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

// textOf is a JSON text as Go has it; empty for anything else.
func textOf(raw json.RawMessage) string {
	var s string
	_ = json.Unmarshal(raw, &s)
	return s
}

// GUIFields is every field, by name.
func GUIFields() []GUIField {
	all := slices.Concat(guiModelFields(), guiTierFields(), guiRosterFields(), guiTeamFields(), guiProjectFields(),
		guiTalkFields(), guiViewFields())
	slices.SortFunc(all, func(a, b GUIField) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// guiIndex finds fields by name and by alias.
var guiIndex = func() map[string]*GUIField {
	index := map[string]*GUIField{}
	all := GUIFields()
	for i := range all {
		for _, name := range append([]string{all[i].Name}, all[i].Aliases...) {
			if index[name] != nil {
				panic("projections: two fields are called " + name) // a programmer's error
			}
			index[name] = &all[i]
		}
	}
	return index
}()

// GUIFieldOf finds a field by its name or another spelling of it; the original
// also puts "ui_" before names. Nil: there is none.
func GUIFieldOf(name string) *GUIField {
	if f := guiIndex[name]; f != nil {
		return f
	}
	return guiIndex[strings.TrimPrefix(name, "ui_")]
}

// Actions of tasks that POST /api/gui takes, as the original names them.
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
	GUIRaw        = ""                   // a task that names no action is recorded only
)

// ErrGUITask says that a task cannot be understood.
var ErrGUITask = errors.New("this is no task")

// GUITask is a task as understood: one spelling for those that the original's
// documents use.
type GUITask struct {
	Action   string
	Item     string                     // the field, button, tab bar, list box, callback or kind of event
	Value    json.RawMessage            // the value, tab, entry, payload; nil where none came
	UserData json.RawMessage            // what a click carries; nil where none came
	Members  map[string]json.RawMessage // everything, as it came
}

// guiSpelling says under which names an action's members come, best first.
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

// ReadGUITask understands a task. The action may come as "type", too. An action
// that nobody knows but that carries a payload is an event to be pushed, as the
// original's own client spells it; a type that nobody knows is a raw task.
// The error says what is wrong, for the person; the task holds what could be
// read of it.
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
			return t, fmt.Errorf("%w: there is no action of that name", ErrGUITask)
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

// recordedOnly tells whether nothing follows from the task.
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

// name is the first of these members; empty where none came.
func (t GUITask) name(members ...string) (string, error) {
	raw := t.first(members...)
	if raw == nil {
		return "", nil
	}
	var s *string
	switch err := json.Unmarshal(raw, &s); {
	case err != nil || s == nil:
		return "", fmt.Errorf("%w: %s is not a text", ErrGUITask, members[0])
	case len(*s) > events.MaxIDLength:
		return "", fmt.Errorf("%w: %s is longer than %d bytes", ErrGUITask, members[0], events.MaxIDLength)
	}
	return *s, nil
}

// userData is what a click carries: user_data, there or in kwargs, else the
// first of args.
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
