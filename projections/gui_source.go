package projections

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"manualslop/events"
)

// GUISources are the read models that bound fields read. What is dear to make
// is made once.
type GUISources struct {
	*Set
	mma      *MMAStatus
	settings *Settings
	document *Project
}

// Status is the state of the four tiers.
func (g *GUISources) Status() *MMAStatus {
	if g.mma == nil {
		v := g.Set.MMAStatus()
		g.mma = &v
	}
	return g.mma
}

// Now are the session's settings as they are now.
func (g *GUISources) Now() *Settings {
	if g.settings == nil {
		v := g.Set.Settings()
		g.settings = &v
	}
	return g.settings
}

// Document is the session's project document.
func (g *GUISources) Document() *Project {
	if g.document == nil {
		v := g.Set.Project()
		g.document = &v
	}
	return g.document
}

// value is what a field holds.
func (g *GUISources) value(f *GUIField) any {
	if !f.Stored() {
		return f.Read(g)
	}
	if raw, set := stateOf(g.Set, gui).Values[f.Name]; set {
		return raw
	}
	return f.Default
}

// GUIState is the value of every field by name.
func (s *Set) GUIState() map[string]any {
	sources := &GUISources{Set: s}
	out := make(map[string]any, len(guiIndex))
	// order-independent: each name is set once.
	for name, f := range guiIndex {
		if name == f.Name {
			out[name] = sources.value(f)
		}
	}
	return out
}

// GUIValue is what a tag stands for: a field, the tab selected in a tab bar, the
// entry selected in a list box, or the status of a ticket, also as node_TICKET.
// Nil: there is none of that name.
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

// owned makes the setter of a bound field of which Go has the type V. The event
// that it gives passes its own check, where it has one.
func owned[V any](say func(V) events.Payload) func(json.RawMessage) (events.Payload, error) {
	return func(raw json.RawMessage) (events.Payload, error) {
		var v V
		if err := json.Unmarshal(raw, &v); err != nil {
			return nil, errors.New("a part of it is of another type")
		}
		p := say(v)
		if c, ok := p.(interface{ Check() error }); ok {
			return p, c.Check()
		}
		return p, nil
	}
}

// whole reads a JSON number without a fraction, also where it is spelled 4.0.
type whole int

// UnmarshalJSON takes what [FieldInteger] holds.
func (w *whole) UnmarshalJSON(raw []byte) error {
	var n float64
	err := json.Unmarshal(bytes.TrimSpace(raw), &n)
	*w = whole(n)
	return err
}

func (w whole) ptr() *int { n := int(w); return &n }
