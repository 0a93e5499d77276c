package runtime

import (
	"manualslop/events"
	"manualslop/tools"
)

// shown tells whether a write would change exactly what the person was shown.
// Where nothing was shown, the yes was to the arguments. Of a file that earlier
// calls of the same reply changed since, the same places must change in the same
// way, and nothing else.
func shown(approved []events.FileChange, planned []tools.PlannedChange) bool {
	if len(approved) == 0 {
		return true
	}
	if len(approved) != len(planned) {
		return false
	}
	for i, a := range approved {
		p := planned[i]
		if a.Path != p.Path || a.Before != p.Before || !a.Moved && a.After != p.After || a.Moved &&
			!p.Makes(placesOf(a.Edits)) {
			return false
		}
	}
	return true
}

// changeOf is a planned change as events name it.
func changeOf(c tools.PlannedChange) events.FileChange {
	out := events.FileChange{Path: c.Path, Before: c.Before, After: c.After}
	for _, e := range c.Edits {
		out.Edits = append(out.Edits, events.Edit(e))
	}
	return out
}

// edited are the changes whose places are known.
func edited(changes []tools.PlannedChange) []events.FileChange {
	var out []events.FileChange
	for _, c := range changes {
		if len(c.Edits) > 0 {
			out = append(out, changeOf(c))
		}
	}
	return out
}

func placesOf(edits []events.Edit) []tools.EditedPlace {
	out := make([]tools.EditedPlace, 0, len(edits))
	for _, e := range edits {
		out = append(out, tools.EditedPlace(e))
	}
	return out
}
