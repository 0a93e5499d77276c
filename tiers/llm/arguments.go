package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"manualslop/events"
)

// unnamed stands for the tool of a call that names none, so that the call can
// still be shown to a model again.
const unnamed = "unnamed"

// draft is a tool call while its chunks come in.
type draft struct {
	name  string
	args  []byte
	over  bool // the arguments passed MaxArgs and were dropped
	ended bool
	// malformed is why the adapter says that it cannot run.
	malformed string
}

func (d *draft) add(text string) {
	if d.over || len(d.args)+len(text) > events.MaxArgs {
		d.over, d.args = true, nil
		return
	}
	d.args = append(d.args, text...)
}

// call returns the finished draft. What cannot run carries the reason and {}.
func (d *draft) call(cut bool) events.ToolCall {
	name := strings.ToValidUTF8(d.name, "\uFFFD")
	switch {
	case name == "":
		name = unnamed
	case len(name) > MaxToolName:
		name = strings.ToValidUTF8(name[:MaxToolName], "")
	}
	args, reason := d.arguments(cut)
	if reason != "" {
		args = json.RawMessage("{}")
	}
	return events.ToolCall{Name: name, Args: args, Malformed: reason}
}

// arguments returns the one JSON object that the model wrote, or why it is
// none. A model that writes nothing at all means the empty object, unless it
// was cut off.
func (d *draft) arguments(cut bool) (json.RawMessage, string) {
	text := bytes.TrimSpace(d.args)
	switch {
	case d.malformed != "":
		return nil, clip(d.malformed)
	case d.name == "" || len(d.name) > MaxToolName:
		return nil, fmt.Sprintf("the call names no tool; a name must have 1 to %d bytes", MaxToolName)
	case d.over:
		return nil, fmt.Sprintf("the arguments have more than %d bytes", events.MaxArgs)
	case cut && (!d.ended || len(text) == 0):
		return nil, "the reply was cut off at the token limit inside this call"
	case !d.ended:
		return nil, "the call was not completed"
	case len(text) == 0:
		return json.RawMessage("{}"), ""
	case text[0] != '{':
		return nil, "the arguments are not a JSON object"
	case events.Nesting(text) > MaxDepth:
		return nil, fmt.Sprintf("the arguments are nested more than %d levels deep", MaxDepth)
	}
	if _, err := events.Canonical(text); err != nil {
		return nil, clip("the arguments are not one JSON object: " + err.Error())
	}
	return bytes.Clone(text), ""
}
