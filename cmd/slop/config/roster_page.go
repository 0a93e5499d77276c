package config

import (
	"fmt"
	"reflect"
	"strings"
)

// rosterIntro comes before the tables about personas and presets.
const rosterIntro = `
## Personas and presets

They have their own files, in your configuration folder and next to the project's ` + "`slop.toml`" + `; an entry of
the project replaces your entry of the same name. All of them are optional, and a session keeps
those that it began with. Wrong keys, types and names are errors with file and line.

A ticket uses its own model if it names one, else the models of its persona, else the ladder of
tier 3; each retry uses the next model of the list. Tier 1 works as the persona that
` + "`[tiers.1]`" + ` names, tier 2 as that of the track, tier 3 as that of the ticket (tiers 1 and 2 choose them from a list
of names), else as the one of their own tier; tier 4 as the one of ` + "`[tiers.4]`" + `. So calls that a persona's tool
preset runs without asking can run in any ticket. An unknown persona name is refused, or ignored with a
note on the request.

You can change personas while a session runs: a tier's with ` + "`slop hook set_value tier3_persona NAME`" + ` (also
tool_preset, bias_profile, prompt_preset), a ticket's with
` + "`slop hook mutate_mma_dag '{\"op\": \"set_persona\", \"ticket\": \"T-1\", \"persona\": \"NAME\"}'`" + `.

**A project can only make things stricter**: its tool presets and personas cannot add a tool, omit an
` + "`ask`" + ` or set ` + "`auto`" + ` unless your entry of the same name does (without one, ` + "`auto`" + ` is not allowed), and cannot
use a provider that your configuration does not name. Models see the text of its personas and
prompt presets as the project's text, which ranks below yours.
`

// rosterPage returns the part of docs/config.md about personas and presets.
func rosterPage() string {
	var b strings.Builder
	b.WriteString(rosterIntro)
	for _, file := range []struct {
		title string
		of    reflect.Type
	}{
		{PersonasName, reflect.TypeFor[personasFile]()},
		{ToolPresetsName, reflect.TypeFor[toolPresetsFile]()},
		{presetsName + "; in a project " + ProjectPresetsName, reflect.TypeFor[presetsFile]()},
	} {
		fmt.Fprintf(&b, "\n### %s\n\n| key | type | meaning |\n|---|---|---|\n", file.title)
		for _, key := range schema(file.of).leaves() {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", pageKey(key), pageType(key), Cell(key.doc))
		}
	}
	return b.String()
}
