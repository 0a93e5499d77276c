package planning

import (
	"fmt"
	"strings"

	"manualslop/events"
	"manualslop/events/chars"
	"manualslop/tiers"
)

// maxCharacter limits the description of a persona, in bytes.
const maxCharacter = 160

// Roster returns the text that lists the personas that a planning tier can assign under the plan's
// key; empty if there are none. For the project's own personas it contains only the name.
func Roster(r events.Roster, key, item string) string {
	if len(r.Personas) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nPersonas that a %s can be given with \"%s\"; leave it out where none fits:\n", item, key)
	for _, p := range r.Personas {
		b.WriteString("- " + p.Name)
		if first := character(p); first != "" {
			b.WriteString(": " + first)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// character returns the first line of a persona's description.
func character(p events.Persona) string {
	if p.Project {
		return "of the project"
	}
	line, _, _ := strings.Cut(chars.Trim(p.SystemPrompt), "\n")
	return tiers.Clip(chars.Trim(line), maxCharacter)
}

// CheckPersona rejects a persona that is not in the roster. If the roster is empty, any name is
// accepted and has no effect.
func CheckPersona(r events.Roster, name string) error {
	if _, has := r.Persona(name); name == "" || has || len(r.Personas) == 0 {
		return nil
	}
	return fmt.Errorf("there is no persona %s; there are %s", chars.Quote(tiers.Clip(name, events.MaxToken)),
		List(r.PersonaNames()))
}
