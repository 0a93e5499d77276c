package llm

import (
	"encoding/json"
)

// Block is one piece of a message: exactly one of [Text], [Call], [Result]
// and [Opaque].
//
//sumtype:decl
type Block interface{ block() }

// Text is prose; never empty in an assembled request.
type Text string

// Call is a tool call that the assistant made.
type Call struct {
	// ID is ours ([events.CallID]), never a vendor's.
	ID   string
	Name string
	// Args is one JSON object.
	Args json.RawMessage
}

// Result answers a [Call] of the assistant message before it.
type Result struct {
	Call string // the call's ID
	Name string // the call's tool
	Text string // may be empty
	// Failed marks an outcome that the model should read as an error.
	Failed bool
}

// Opaque is what a vendor wants back verbatim, such as signed thinking. It
// stands first in its assistant message.
type Opaque struct {
	// Origin names who wrote it, as the adapter sees fit: vendor and model. An
	// adapter drops blocks whose origin is not its own and sends the portable
	// blocks beside it instead.
	Origin string `json:"origin"`
	// Data is the vendor's own JSON.
	Data json.RawMessage `json:"data"`
}

func (Text) block()   {}
func (Call) block()   {}
func (Result) block() {}
func (Opaque) block() {}

// wireBlock is the neutral JSON form of every block.
type wireBlock struct {
	Kind   string          `json:"kind"`
	ID     string          `json:"id,omitempty"`
	Call   string          `json:"call,omitempty"`
	Name   string          `json:"name,omitempty"`
	Text   string          `json:"text,omitempty"`
	Args   json.RawMessage `json:"args,omitempty"`
	Failed bool            `json:"failed,omitempty"`
	Origin string          `json:"origin,omitempty"`
	Data   json.RawMessage `json:"data,omitempty"`
}

func wireOf(b Block) wireBlock {
	switch b := b.(type) {
	case Text:
		return wireBlock{Kind: "text", Text: string(b)}
	case Call:
		return wireBlock{Kind: "call", ID: b.ID, Name: b.Name, Args: b.Args}
	case Result:
		return wireBlock{Kind: "result", Call: b.Call, Name: b.Name, Text: b.Text, Failed: b.Failed}
	case Opaque:
		return wireBlock{Kind: "opaque", Origin: b.Origin, Data: b.Data}
	}
	return wireBlock{Kind: "none"}
}

// runes counts the characters that a block brings to a prompt.
func runes(b Block) int64 {
	switch b := b.(type) {
	case Text:
		return count(string(b))
	case Call:
		return count(b.Name) + count(string(b.Args))
	case Result:
		return count(b.Text)
	case Opaque:
		return count(string(b.Data))
	}
	return 0
}
