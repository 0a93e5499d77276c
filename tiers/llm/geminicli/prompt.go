package geminicli

import (
	"fmt"
	"strings"

	"manualslop/tiers/llm"
)

// withoutTools tells a model that was offered tools that it has none here.
const withoutTools = `No tools can be called in this conversation: answer in text alone. If that is not enough, begin the answer with "BLOCKED: " and say what is missing.`

// prompt is the whole request as one text: the system's words, then the turns
// of the conversation. A single turn of the user stands without a heading.
func prompt(r llm.Request) string {
	var parts []string
	if system := r.System(); system != "" {
		parts = append(parts, strings.TrimRight(system, "\n"))
	}
	if len(r.Tools) > 0 {
		parts = append(parts, withoutTools)
	}
	turns := r.Conversation()
	for _, m := range turns {
		parts = append(parts, turn(m, len(turns) > 1))
	}
	return strings.Join(parts, "\n\n") + "\n"
}

// turn is one message as text. Another vendor's opaque block is left out.
func turn(m llm.Message, headed bool) string {
	var parts []string
	if headed && m.Role != llm.RoleTool {
		parts = append(parts, "## "+strings.ToUpper(m.Role[:1])+m.Role[1:])
	}
	for _, b := range m.Blocks {
		switch b := b.(type) {
		case llm.Text:
			parts = append(parts, strings.TrimRight(string(b), "\n"))
		case llm.Call:
			parts = append(parts, fmt.Sprintf("(called the tool %s with %s)", b.Name, b.Args))
		case llm.Result:
			word := "Result"
			if b.Failed {
				word = "Error"
			}
			parts = append(parts, fmt.Sprintf("## %s of the tool %s\n\n%s", word, b.Name, strings.TrimRight(b.Text, "\n")))
		case llm.Opaque:
		}
	}
	return strings.Join(parts, "\n\n")
}
