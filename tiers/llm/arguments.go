package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"manualslop/events"
)

// unnamed is the name given to a call without a tool name, so that the call can still be shown to
// a model.
const unnamed = "unnamed"

// draft is a tool call whose chunks are still arriving.
type draft struct {
	name  string
	args  []byte
	over  bool // the arguments exceeded MaxArgs and were dropped
	ended bool
	// malformed is the adapter's reason why the call cannot run.
	malformed string
}

func (d *draft) add(text string) {
	if d.over || len(d.args)+len(text) > events.MaxArgs {
		d.over, d.args = true, nil
		return
	}
	d.args = append(d.args, text...)
}

// call returns the finished draft. A call that cannot run carries the reason and empty arguments
// ({}).
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

// arguments returns the JSON object that the model wrote, or the reason why it is not valid. Empty
// arguments count as the empty object, unless the reply was cut off.
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
