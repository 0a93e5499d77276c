package projections

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"manualslop/events"
)

// MaxPresets limits the number of context presets of a session.
const MaxPresets = 64

// ContextPreset is a named selection of files and screenshots.
type ContextPreset struct {
	Name        string               `json:"name"`
	Files       []events.TrackedFile `json:"files"`
	Screenshots []string             `json:"screenshots"`
	Saved       time.Time            `json:"saved"`
}

func (p *projectState) preset(e *events.Event, w *events.ContextPresetChanged) string {
	saved, known := p.Presets[w.Name]
	switch w.Operation {
	case events.PresetSave, events.PresetSlice:
		if !known && len(p.Presets) >= MaxPresets {
			return fmt.Sprintf("there are %d context presets at most", MaxPresets)
		}
		files, screenshots := w.Files, w.Screenshots
		if w.Operation == events.PresetSlice {
			if len(files) != 1 {
				return "slices are added to one file at a time"
			}
			var reason string
			if files, reason = events.WithSlices(saved.Files, w.Files[0]); reason != "" {
				return reason
			}
			screenshots = saved.Screenshots
		}
		p.Presets[w.Name] = ContextPreset{w.Name, listOf(files), listOf(screenshots), e.Time}
		return ""
	}
	switch {
	case !known:
		return "there is no such preset"
	case w.Operation == events.PresetLoad:
		p.Selected = w.Name
	case w.Operation == events.PresetDelete:
		delete(p.Presets, w.Name)
	default:
		return "presets have no operation of that name"
	}
	return ""
}

// ContextPresets returns the presets, sorted by name.
func (s *Set) ContextPresets() []ContextPreset {
	p := stateOf(s, project)
	out := make([]ContextPreset, 0, len(p.Presets))
	// order-independent: sorted below
	for _, preset := range p.Presets {
		out = append(out, preset)
	}
	slices.SortFunc(out, func(a, b ContextPreset) int { return cmp.Compare(a.Name, b.Name) })
	return out
}
