package tiers

import (
	"fmt"
	"strings"

	"manualslop/events"
)

// Environment returns the description of the model's working environment as a system part; none if
// the session has none. It is the same in all prompts that a session sends to one model in one
// role.
func (x Sitting) Environment(s events.Settings) []events.Part {
	if s.System == "" {
		return nil
	}
	facts := []string{"System: " + Line(s.System)}
	if s.Shell != "" {
		facts = append(facts, "shell: "+Line(s.Shell))
	}
	if s.Git {
		facts = append(facts, "git: yes")
	} else {
		facts = append(facts, "git: no")
	}
	text := "# Environment\n\n" + strings.Join(facts, "; ") + ". Paths begin in the project's folder, where scripts start."
	if s.ToolTimeoutMS > 0 {
		text += fmt.Sprintf(" A script ends after %d s", s.ToolTimeoutMS/1000)
		if s.MaxToolTimeoutMS > s.ToolTimeoutMS {
			text += fmt.Sprintf("; timeout_s may ask for up to %d s, but more than %d s needs a person's approval",
				s.MaxToolTimeoutMS/1000, s.ToolTimeoutMS/1000)
		}
		text += "."
	}
	if x.Reply > 0 {
		text += fmt.Sprintf(" A reply ends at %d tokens, thoughts included.", x.Reply)
	}
	return []events.Part{{Role: "system", Text: text + "\n"}}
}
