package texttools

import (
	"bytes"
	"encoding/json"
	"fmt"

	"manualslop/events"
)

// shape ends every error message about a block.
const shape = `a call must be one JSON object {"tool": "NAME", "args": {…}}`

// call parses a complete block.
func (b *body) call() Call {
	if b.over {
		return Call{Malformed: fmt.Sprintf("the block has more than %d bytes", maxBody)}
	}
	text := []byte(b.text.String())
	if _, err := events.Canonical(text); err != nil {
		return Call{Malformed: fmt.Sprintf("the block is not JSON: %v; %s", err, shape)}
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil || members == nil {
		return Call{Malformed: "the block is not an object; " + shape}
	}
	var out Call
	if err := json.Unmarshal(members["tool"], &out.Name); err != nil || out.Name == "" {
		return Call{Malformed: "the block names no tool; " + shape}
	}
	args := bytes.TrimSpace(members["args"])
	switch {
	case len(members) > 2 || len(members) == 2 && args == nil:
		out.Malformed = "the block has members other than tool and args; " + shape
	case len(args) > 0 && args[0] != '{':
		out.Malformed = "args is not an object; " + shape
	case !b.marked:
		out.Malformed = "the block does not have the mark of this conversation after tool_call"
	case len(args) == 0:
		out.Args = "{}"
	default:
		out.Args = string(args)
	}
	return out
}
