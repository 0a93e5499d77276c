package projections

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"time"

	"manualslop/events"
)

// Limits of the read model "gui".
const (
	MaxGUITasks      = 64      // the newest tasks
	MaxGUISelections = 64      // tab bars, and list boxes, with a selection
	MaxGUISelected   = 4 << 10 // size of one selected list entry, in bytes of JSON
)

// GUITaskRow is a task posted to /api/gui.
type GUITaskRow struct {
	ID     string    `json:"id"`
	Seq    uint64    `json:"seq"`
	Time   time.Time `json:"ts"`
	Action string    `json:"action"`
	Item   string    `json:"item,omitempty"`
	Error  string    `json:"error,omitempty"` // why it failed
}

// guiState is the state that the original system kept in its window.
type guiState struct {
	Values map[string]json.RawMessage `json:"values"` // values of stored fields that were set
	Tabs   map[string]string          `json:"tabs"`   // selected tab, by tab bar
	Lists  map[string]json.RawMessage `json:"lists"`  // selected entry, by list box
	Tasks  []GUITaskRow               `json:"tasks"`  // oldest first
}

var gui = Fold[*guiState]{
	Name: "gui", Version: 1,
	Takes: ofTheGUI,
	New: func() *guiState {
		return &guiState{Values: map[string]json.RawMessage{}, Tabs: map[string]string{}, Lists: map[string]json.RawMessage{},
			Tasks: []GUITaskRow{}}
	},
	Apply: (*guiState).apply,
}

func (g *guiState) apply(e *events.Event) *guiState {
	switch p := e.Payload.(type) {
	case events.GUITaskQueued:
		t, err := ReadGUITask(p.Task)
		g.note(GUITaskRow{ID: e.ID, Seq: e.Seq, Time: e.Time, Action: t.Action, Item: t.Item})
		if err == nil {
			g.take(t)
		}
	case events.GUITaskFailed:
		for i := range g.Tasks {
			if g.Tasks[i].ID == p.Queued {
				g.Tasks[i].Error = head(p.Error)
			}
		}
	}
	return g
}

func (g *guiState) note(row GUITaskRow) {
	if len(g.Tasks) == MaxGUITasks {
		copy(g.Tasks, g.Tasks[1:])
		g.Tasks = g.Tasks[:MaxGUITasks-1]
	}
	g.Tasks = append(g.Tasks, row)
}

// take applies a task to the values that are kept here.
func (g *guiState) take(t GUITask) {
	switch t.Action {
	case GUISetValue:
		if f := GUIFieldOf(t.Item); f != nil && f.Stored() && f.Check(t.Value) == nil {
			g.Values[f.Name] = compact(t.Value)
		}
	case GUISelectTab:
		if t.selects() && roomFor(g.Tabs, t.Item) {
			g.Tabs[t.Item] = textOf(t.Value)
		}
	case GUISelectItem:
		if t.selects() && roomFor(g.Lists, t.Item) {
			g.Lists[t.Item] = compact(t.Value)
		}
	}
}

// selects reports whether the task selects a tab or an entry that can be kept.
func (t GUITask) selects() bool {
	if t.Action == GUISelectTab {
		return len(t.Value) > 0 && t.Value[0] == '"' && len(textOf(t.Value)) <= events.MaxIDLength
	}
	return len(t.Value) > 0 && len(t.Value) <= MaxGUISelected
}

func roomFor[V any](m map[string]V, key string) bool {
	_, there := m[key]
	return there || len(m) < MaxGUISelections
}

// compact returns raw without white space between its tokens, as in a stored state.
func compact(raw json.RawMessage) json.RawMessage {
	var buf bytes.Buffer
	if err := json.Compact(&buf, raw); err != nil {
		return raw
	}
	return buf.Bytes()
}

// GUITasks returns the newest tasks of POST /api/gui, oldest first.
func (s *Set) GUITasks() []GUITaskRow {
	return append([]GUITaskRow{}, stateOf(s, gui).Tasks...)
}

// GUITab returns the selected tab of a tab bar; empty if there is none.
func (s *Set) GUITab(bar string) string { return stateOf(s, gui).Tabs[bar] }

// GUIListItem returns the selected entry of a list box; nil if there is none.
func (s *Set) GUIListItem(box string) json.RawMessage { return stateOf(s, gui).Lists[box] }

// GUISelected reports whether a task's selection was kept: the read model had room for it, and it
// is a valid selection.
func (s *Set) GUISelected(t GUITask) bool {
	g := stateOf(s, gui)
	_, tab := g.Tabs[t.Item]
	_, entry := g.Lists[t.Item]
	return t.selects() && (t.Action == GUISelectTab && tab || t.Action == GUISelectItem && entry)
}

// GUISelections returns the selected tabs and list entries. The maps are shared and must not be
// modified.
func (s *Set) GUISelections() (tabs map[string]string, lists map[string]json.RawMessage) {
	g := stateOf(s, gui)
	return g.Tabs, g.Lists
}

// GUISources gives bound fields access to the read models. Expensive values are computed only
// once.
type GUISources struct {
	*Set
	mma      *MMAStatus
	settings *Settings
	document *Project
}

// Status returns the state of the four tiers.
func (g *GUISources) Status() *MMAStatus {
	if g.mma == nil {
		v := g.Set.MMAStatus()
		g.mma = &v
	}
	return g.mma
}

// Now returns the session's current settings.
func (g *GUISources) Now() *Settings {
	if g.settings == nil {
		v := g.Set.Settings()
		g.settings = &v
	}
	return g.settings
}

// Document returns the session's project document.
func (g *GUISources) Document() *Project {
	if g.document == nil {
		v := g.Set.Project()
		g.document = &v
	}
	return g.document
}

// value returns the value of a field.
func (g *GUISources) value(f *GUIField) any {
	if !f.Stored() {
		return f.Read(g)
	}
	if raw, set := stateOf(g.Set, gui).Values[f.Name]; set {
		return raw
	}
	return f.Default
}

// GUIState returns the values of all fields by name.
func (s *Set) GUIState() map[string]any {
	sources := &GUISources{Set: s}
	out := make(map[string]any, len(guiIndex))
	// order-independent: each name is set once
	for name, f := range guiIndex {
		if name == f.Name {
			out[name] = sources.value(f)
		}
	}
	return out
}

// GUIValue returns the value of a tag: the value of a field, the selected tab of a tab bar, the
// selected entry of a list box, or the status of a ticket, which can also be named node_TICKET. It
// returns nil for an unknown name.
func (s *Set) GUIValue(tag string) any {
	if f := GUIFieldOf(tag); f != nil {
		return (&GUISources{Set: s}).value(f)
	}
	if tab := s.GUITab(tag); tab != "" {
		return tab
	}
	if item := s.GUIListItem(tag); item != nil {
		return item
	}
	t, ok := s.Ticket(tag)
	if !ok {
		t, ok = s.Ticket(strings.TrimPrefix(tag, "node_"))
	}
	if !ok {
		return nil
	}
	return t.Status
}

// owned returns the setter of a bound field with Go type V. The event that it returns must pass
// its own check, if it has one.
func owned[V any](say func(V) events.Payload) func(json.RawMessage) (events.Payload, error) {
	return func(raw json.RawMessage) (events.Payload, error) {
		var v V
		if err := json.Unmarshal(raw, &v); err != nil {
			return nil, errors.New("a part of it has the wrong type")
		}
		p := say(v)
		if c, ok := p.(interface{ Check() error }); ok {
			return p, c.Check()
		}
		return p, nil
	}
}

// whole is decoded from a JSON number without a fraction, even if written as 4.0.
type whole int

// UnmarshalJSON accepts the values of [FieldInteger].
func (w *whole) UnmarshalJSON(raw []byte) error {
	var n float64
	err := json.Unmarshal(bytes.TrimSpace(raw), &n)
	*w = whole(n)
	return err
}

func (w whole) ptr() *int { n := int(w); return &n }
