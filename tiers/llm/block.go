package llm

import (
	"encoding/json"

	"manualslop/events"
)

// Block is one piece of a message: exactly one of [Text], [Image], [Call],
// [Result] and [Opaque].
//
//sumtype:decl
type Block interface{ block() }

// Text is plain text; it is never empty in an assembled request.
type Text string

// Image is an image in a user message.
type Image struct {
	Media  string // image/png, image/jpeg or image/webp
	SHA256 string // of Data
	Data   []byte
}

// Call is a tool call that the assistant made.
type Call struct {
	// ID is our id ([events.CallID]), never a vendor's.
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

// Opaque is data that a vendor needs back verbatim, such as signed thinking. It is the first block
// of its assistant message.
type Opaque struct {
	// Origin identifies the writer in a form that the adapter chooses: vendor and model. An
	// adapter drops blocks of another origin and sends the portable blocks of the message instead.
	Origin string `json:"origin"`
	// Data is the vendor's own JSON.
	Data json.RawMessage `json:"data"`
}

func (Text) block()   {}
func (Image) block()  {}
func (Call) block()   {}
func (Result) block() {}
func (Opaque) block() {}

// runes counts the characters that a block adds to a prompt.
func runes(b Block) int64 {
	switch b := b.(type) {
	case Text:
		return count(string(b))
	case Image:
		return events.ImageTokens * runesPerToken
	case Call:
		return count(b.Name) + count(string(b.Args))
	case Result:
		return count(b.Text)
	case Opaque:
		return count(string(b.Data))
	}
	return 0
}
