package config

import (
	"fmt"
	"reflect"
	"strings"
)

// rosterIntro stands above the tables about personas and presets.
const rosterIntro = `
## Personas and presets

They are in files of their own, in the person's folder and beside the project's ` + "`slop.toml`" + `; an entry of
the project replaces the person's of the same name. All of it is optional, and stays as it is for the
whole of a session. Wrong keys, types and names are errors with file and line.

A ticket is answered by its own model if it names one, else by the models of its persona, else by
the ladder of tier 3; each retry takes the next model of the list. Tier 1 works as the persona that
` + "`[tiers.1]`" + ` names, tier 2 as that of the track, tier 3 as that of the ticket, which tiers 1 and 2 choose from
the names they are told, else as that of their tier; tier 4 as that of ` + "`[tiers.4]`" + `. So what a persona's tool
preset runs without asking can run in any ticket. A name that nobody has is refused, or ignored with a
note on the request.

Who works as whom changes while a session runs: a tier with ` + "`slop hook set_value tier3_persona NAME`" + ` (also
tool_preset, bias_profile, prompt_preset), a ticket with
` + "`slop hook mutate_mma_dag '{\"op\": \"set_persona\", \"ticket\": \"T-1\", \"persona\": \"NAME\"}'`" + `.

**A project can only make things stricter**: its tool presets and personas cannot bring a tool, leave out an
` + "`ask`" + ` or say ` + "`auto`" + ` where the person's of the same name do not (where there is none: no ` + "`auto`" + `), and reach no provider that
the person's configuration does not name. What its personas and prompt presets say is shown to models as
the project's words, which rank below the person's.
`

// rosterPage is the part of docs/config.md about personas and presets.
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
