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
