package llm

import "manualslop/events"

// Limits of one request and one reply.
const (
	// MaxPrompt limits the bytes of a request's texts, results and arguments. A
	// longer one is refused as context_too_long before it is sent.
	MaxPrompt = 8 << 20
	// MaxText limits the bytes of a reply's text.
	MaxText = 256 << 10
	// MaxCalls limits the tool calls of a reply.
	MaxCalls = 64
	// MaxToolName limits the bytes of a tool's name in a call.
	MaxToolName = 128
	// MaxModelName limits the bytes of the model's name that a provider gives.
	MaxModelName = 256
	// MaxRaw limits the opaque block of a reply in bytes.
	MaxRaw = 4 << 20
	// MaxDepth limits how deep arrays and objects are nested in a call's arguments
	// and in an opaque block: events, prompts and pages wrap them in more, and what
	// is deeper than 10,000 cannot be written as JSON any more.
	MaxDepth = 128
	// MaxTokens limits each count of a usage.
	MaxTokens = 1_000_000_000
	// MaxCost limits what a provider can say that one attempt cost, in
	// micro-dollars: a million dollars.
	MaxCost = 1_000_000_000_000
	// MaxReply limits a whole reply as it is recorded, so that it fits one event
	// with its envelope.
	MaxReply = events.MaxEventBytes - 16<<10
	// MaxMessage limits the bytes of an error's message.
	MaxMessage = 2 << 10
)
