package tiers

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/events/chars"
	"manualslop/tiers/fence"
)

// System returns how every prompt of a seat begins: the role ([Words]), how to
// use the tools, the persona, the prompt preset, each a part, those that say
// nothing left out. What the project wrote is not a part of the system's words;
// see [Sitting.Project].
func (x Sitting) System(role []events.Part, tools []string) []events.Part {
	out := slices.Clone(role)
	add := func(text string) {
		if text != "" {
			out = append(out, events.Part{Role: "system", Text: text})
		}
	}
	add(Strategy(x.Bias, tools))
	if !x.Persona.Project {
		add(own("# Persona: "+x.Persona.Name, x.Persona.SystemPrompt))
	}
	if !x.Prompt.Project {
		add(own("# Instructions of the person", x.Prompt.SystemPrompt))
	}
	return out
}

// Project returns what the project's document, its own persona and prompt
// preset say, as parts of the user after the system's words, inside fences of
// the session that the event with the id opened began.
func (x Sitting) Project(opened string) []events.Part {
	var out []events.Part
	add := func(heading, text string) {
		if chars.Trim(text) != "" {
			out = append(out, events.Part{Role: "user", Prefix: heading + "\n\n" + projectWords + "\n\n", Text: text,
				Suffix: "\n",
				Origin: fence.Repo, Fence: sessionFence(opened, events.Digest([]byte(heading+text)))})
		}
	}
	add("# Instructions of the project", x.ProjectPrompt)
	if x.Persona.Project {
		add("# Persona: "+x.Persona.Name, x.Persona.SystemPrompt)
	}
	if x.Prompt.Project {
		add("# Prompt preset: "+x.Prompt.Name, x.Prompt.SystemPrompt)
	}
	return out
}

// own returns a text under its heading; empty if there is none.
func own(heading, text string) string {
	if text = chars.Trim(text); text == "" {
		return ""
	}
	return heading + "\n\n" + text + "\n"
}

// Strategy returns the section of a system prompt about tools: what a bias
// profile says of those that are offered. Empty if it says nothing.
func Strategy(b events.BiasProfile, tools []string) string {
	var out strings.Builder
	for _, w := range []struct {
		weight int
		says   string
	}{{5, "First choice"}, {4, "Preferred"}, {2, "Only where nothing above serves"}, {1, "Avoid"}} {
		if names := weighing(b, tools, w.weight); len(names) > 0 {
			fmt.Fprintf(&out, "- %s: %s\n", w.says, strings.Join(names, ", "))
		}
	}
	for _, name := range tools {
		words := b.Entry(name).Parameters
		for _, parameter := range slices.Sorted(maps.Keys(words)) {
			fmt.Fprintf(&out, "- `%s`, its parameter `%s`: %s\n", name, parameter, words[parameter])
		}
	}
	if out.Len() == 0 {
		return ""
	}
	return "# Tooling strategy\n\n" + out.String()
}

func weighing(b events.BiasProfile, tools []string, weight int) []string {
	var out []string
	for _, name := range tools {
		if b.Entry(name).Weight == weight {
			out = append(out, "`"+name+"`")
		}
	}
	return out
}
