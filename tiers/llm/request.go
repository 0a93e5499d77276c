package llm

import (
	"encoding/json"
	"strings"

	"manualslop/events"
)

// Roles of a message, and of the manifest part that it was made from.
const (
	RoleSystem    = "system"
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
)

// Message is one turn. [Assemble] makes only these forms: at most one system message, the first,
// of Text; user messages of Text and Image; assistant messages of at most one Opaque, then at most one Text,
// then Calls; tool messages with one Result for each Call of the assistant message right before,
// and then at most one Text, the block of changed files.
type Message struct {
	Role   string
	Blocks []Block
	// Refreshed means that the last block is the block of changed files, which the next request
	// will not contain.
	Refreshed bool
}

// Tool is a tool as it is described to the model.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"` // JSON Schema of the arguments
	wire        []byte          // the tool's part of [Request.Wire]; nil if not made yet
}

func toolOf(o events.ToolOffer) Tool {
	return Tool{Name: o.Name, Description: o.Description, Schema: o.Schema}
}

// Request asks for one reply.
type Request struct {
	Model string
	// Command is the program to run, for providers that run one; empty means the provider's
	// default. It is not part of the prompt and so not of Wire.
	Command  string
	Params   events.ModelParams
	Messages []Message
	Tools    []Tool
	// Encoded is the result of the provider's Body for this request, for use by Stream; nil if not
	// made yet.
	Encoded []byte

	begun *wireSum // nil if the request belongs to no conversation
	final int      // number of messages that the conversation's next request repeats
}

// BodyBy returns the body of r as p sends it. It reuses an encoded body, since encoding a long
// conversation takes milliseconds.
func (r Request) BodyBy(p Provider) ([]byte, error) {
	if r.Encoded != nil {
		return r.Encoded, nil
	}
	return p.Body(r)
}

// System returns the text of the system message, its blocks joined by blank lines; empty if there
// is none.
func (r Request) System() string {
	if len(r.Messages) == 0 || r.Messages[0].Role != RoleSystem {
		return ""
	}
	return r.Messages[0].Prose()
}

// Conversation returns the messages after the system message.
func (r Request) Conversation() []Message {
	if len(r.Messages) > 0 && r.Messages[0].Role == RoleSystem {
		return r.Messages[1:]
	}
	return r.Messages
}

// Prose returns the texts of a message, joined by blank lines.
func (m Message) Prose() string {
	var parts []string
	for _, b := range m.Blocks {
		if t, is := b.(Text); is {
			parts = append(parts, string(t))
		}
	}
	return strings.Join(parts, "\n\n")
}

// Calls returns the calls of a message in order.
func (m Message) Calls() []Call {
	var out []Call
	for _, b := range m.Blocks {
		if c, is := b.(Call); is {
			out = append(out, c)
		}
	}
	return out
}

// OpaqueOf returns the data that the vendor needs back verbatim, if it has the given origin. It
// returns nil for data of another origin, which must not be sent to this one.
func (m Message) OpaqueOf(origin string) json.RawMessage {
	if len(m.Blocks) == 0 {
		return nil
	}
	if o, is := m.Blocks[0].(Opaque); is && o.Origin == origin {
		return o.Data
	}
	return nil
}
