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

// Opaque is what a vendor wants back verbatim, such as signed thinking. It is
// first in its assistant message.
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
