package llm

// NeutralWire is the format of [Request.Wire], for providers that send no HTTP
// body of their own.
const NeutralWire = "neutral/1"

// Neutral is the body of a provider that sends no HTTP body of its own; such a
// provider embeds it.
type Neutral struct{}

// Wire returns the neutral format.
func (Neutral) Wire() string { return NeutralWire }

// Body returns the neutral form of the request.
func (Neutral) Body(r Request) ([]byte, error) { return r.Wire() }
