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

// System returns the beginning of every prompt of a seat: the role ([Words]), how to use the
// tools, the persona and the prompt preset, one part each; empty ones are left out. Text of the
// project is not part of it; see [Sitting.Project].
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

// Project returns the texts of the project's document and of its own persona and prompt preset.
// They are user parts that follow the system parts, in fences derived from the id opened, the
// event that opened the session.
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

// own returns a text with its heading; empty if the text is empty.
func own(heading, text string) string {
	if text = chars.Trim(text); text == "" {
		return ""
	}
	return heading + "\n\n" + text + "\n"
}

// Strategy returns the section of a system prompt with a bias profile's preferences among the
// offered tools; empty if it has none.
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
