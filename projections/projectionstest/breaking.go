// Package projectionstest provides read models that fail on purpose, for tests.
package projectionstest

import (
	"manualslop/events"
	"manualslop/projections"
)

// Breaking returns projections.Catalogue with one model replaced by one that panics on the events
// that when selects.
func Breaking(name string, when func(*events.Event) bool) []func() projections.Model {
	all := projections.Catalogue()
	for i, start := range all {
		if start().Name() == name {
			all[i] = func() projections.Model { return breaking{start(), when} }
		}
	}
	return all
}

// On selects the events of one type.
func On(typ string) func(*events.Event) bool {
	return func(e *events.Event) bool { return e.Type == typ }
}

type breaking struct {
	projections.Model
	when func(*events.Event) bool
}

// Apply panics on the selected events.
func (b breaking) Apply(e *events.Event) {
	if b.when(e) {
		panic("broken on purpose")
	}
	b.Model.Apply(e)
}

// Unwrap returns the wrapped model.
func (b breaking) Unwrap() projections.Model { return b.Model }
