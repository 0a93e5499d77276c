package llm

import (
	"encoding/json"

	"manualslop/events"
)

// Reply is a whole reply of a model.
type Reply struct {
	Text string
	// Calls stand in the order in which the model opened them. Their IDs are
	// empty until [Reply.Replied] gives them the request's.
	Calls []events.ToolCall
	Usage events.Usage
	// Finish is tool_calls exactly when there are calls and the reply was not
	// cut off, whatever the vendor named it; else stop or max_tokens.
	Finish string
	// Model is the model's name as the provider spelled it; may be empty.
	Model string
	// Raw is the vendor's [Opaque] as JSON; nil if there is none.
	Raw json.RawMessage
	// CLI is the run of the provider's program; nil if there is none.
	CLI *events.CLICall
}

// Replied returns the reply as the fact that answers the request with this id.
// The caller adds what only it knows: body digest, script line, duration.
func (r Reply) Replied(request string) events.ModelReplied {
	calls := make([]events.ToolCall, len(r.Calls))
	for i, c := range r.Calls {
		c.ID = events.CallID(request, i)
		calls[i] = c
	}
	if len(calls) == 0 {
		calls = nil
	}
	return events.ModelReplied{
		Request: request, Text: r.Text, SHA256: events.Digest([]byte(r.Text)), Calls: calls,
		Finish: r.Finish, Usage: r.Usage, Model: r.Model, Raw: r.Raw, CLI: r.CLI,
	}
}
