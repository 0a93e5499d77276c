package texttools

import (
	"encoding/json"
	"strings"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// markLength is the number of digest characters in a mark: too many to guess or to search for, and
// few enough to copy without a mistake.
const markLength = 12

// Mark returns the mark of a conversation, derived from its system message and its first turn. It
// does not depend on the tools, because more may be loaded later.
func Mark(r llm.Request) string {
	var b strings.Builder
	b.WriteString(r.System())
	if turns := r.Conversation(); len(turns) > 0 {
		for _, block := range turns[0].Blocks {
			if text, ok := block.(llm.Text); ok {
				b.WriteString("\x00" + string(text))
			}
		}
	}
	return events.Digest([]byte(b.String()))[:markLength]
}

// Tools returns the text that lists the tools for the model; empty if there are none.
func Tools(tools []llm.Tool) string {
	if len(tools) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("# Tools\n\nYou have exactly the tools below and no others; any tool of the program that you run in " +
		"is switched off.\n")
	for _, t := range tools {
		b.WriteString("\n## " + t.Name + "\n\n" + strings.TrimSpace(t.Description) + "\n")
		if len(t.Schema) > 0 {
			b.WriteString("\nArguments (JSON Schema): " + string(t.Schema) + "\n")
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// Instructions returns the text that tells the model how to write a call; empty if there are no
// tools.
func Instructions(tools []llm.Tool, mark string) string {
	if len(tools) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString("# Calls of tools\n\nTo call tools, end your answer with one block for each call, written exactly " +
		"like this:\n\n")
	b.WriteString(Block("NAME", json.RawMessage(`{"argument": "value"}`), mark))
	b.WriteString("\n\n- The first line of a block is three backticks, tool_call, a space and " + mark +
		". The last is three backticks.\n" +
		"- Between them stands one JSON object with the members tool and args. Line feeds in a string are written as \\n.\n" +
		"- Calls are carried out in their order. Write nothing behind the last block and never write a tool's result " +
		"yourself: results come in the next message.\n" +
		"- An answer without a block is final.\n")
	return strings.TrimRight(b.String(), "\n")
}

// Block returns a call in the form in which the model must write it.
func Block(tool string, args json.RawMessage, mark string) string {
	name, err := json.Marshal(tool)
	if err != nil {
		name = []byte(`""`)
	}
	return opening + " " + mark + "\n{\"tool\": " + string(name) + ", \"args\": " + string(args) + "}\n" + closing
}
