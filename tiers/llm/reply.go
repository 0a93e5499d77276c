package llm

import (
	"encoding/json"

	"manualslop/events"
)

// Reply is a model's complete reply.
type Reply struct {
	Text string
	// Calls are in the order in which the model opened them. Their IDs are empty until
	// [Reply.Replied] derives them from the request.
	Calls []events.ToolCall
	Usage events.Usage
	// Finish is tool_calls if and only if there are calls and the reply was not cut off,
	// whatever reason the vendor gave; else it is stop or max_tokens.
	Finish string
	// Model is the model's name as the provider spelled it; may be empty.
	Model string
	// Raw is the vendor's [Opaque] as JSON; nil if there is none.
	Raw json.RawMessage
	// CLI describes the run of the provider's program; nil if it runs none.
	CLI *events.CLICall
}

// Replied returns the event that answers the request with the given id. The caller adds what only
// it knows: body digest, script line, duration.
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
