package llm

import (
	"encoding/json"
	"strings"

	"manualslop/events"
)

// Roles of a message, and of the manifest part it was made from.
const (
	RoleSystem    = "system"
	RoleUser      = "user"
	RoleAssistant = "assistant"
	RoleTool      = "tool"
)

// Message is one turn. [Assemble] makes only these: at most one of the system,
// standing first, of Text; of the user, of Text; of the assistant, of at most
// one Opaque, then at most one Text, then Calls; of the tools, one Result for
// each Call of the assistant message right before it, and after them at most
// one Text, the block of changed files.
type Message struct {
	Role   string
	Blocks []Block
	// Refreshed says that the last block is the block of changed files, which
	// the next request will not have.
	Refreshed bool
}

// Tool is a tool as the model is told of it.
type Tool struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Schema      json.RawMessage `json:"schema"` // JSON Schema of the arguments
	wire        []byte          // what [Request.Wire] has of it; nil: not made yet
}

func toolOf(o events.ToolOffer) Tool {
	return Tool{Name: o.Name, Description: o.Description, Schema: o.Schema}
}

// Request asks for one reply.
type Request struct {
	Model string
	// Command is the program of a provider that runs one; empty: its own. It is not
	// a part of the prompt and so not of Wire.
	Command  string
	Params   events.ModelParams
	Messages []Message
	Tools    []Tool
	// Encoded is what the provider's Body made of all this, for its Stream; nil:
	// nobody made it yet.
	Encoded []byte

	begun *wireSum // nil: of no conversation
	final int      // messages that the next request of the conversation repeats
}

// BodyBy returns the body of r as p sends it. A body of a long conversation
// takes milliseconds, so one that was made already is not made again.
func (r Request) BodyBy(p Provider) ([]byte, error) {
	if r.Encoded != nil {
		return r.Encoded, nil
	}
	return p.Body(r)
}

// System returns the text of the system message, blocks joined by a blank line;
// empty if there is none.
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

// Calls returns the calls of a message, in their order.
func (m Message) Calls() []Call {
	var out []Call
	for _, b := range m.Blocks {
		if c, is := b.(Call); is {
			out = append(out, c)
		}
	}
	return out
}

// OpaqueOf returns what the vendor wants back verbatim, where it is of this
// origin. Nil for what another one wrote, which must not see it.
func (m Message) OpaqueOf(origin string) json.RawMessage {
	if len(m.Blocks) == 0 {
		return nil
	}
	if o, is := m.Blocks[0].(Opaque); is && o.Origin == origin {
		return o.Data
	}
	return nil
}
