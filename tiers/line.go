package tiers

import (
	"strings"

	"manualslop/events/chars"
	"manualslop/tiers/fence"
)

// Line returns a name that a model, a file system or a tool gave, as it may
// stand in a prompt outside any fence: on one line, and without look-alikes of
// the engine's markers.
func Line(name string) string {
	return fence.Neutralise(strings.Map(func(r rune) rune {
		if !chars.Printable(r) {
			return ' '
		}
		return r
	}, name))
}
