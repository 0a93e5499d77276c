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
	// MaxModelName limits the bytes of the model name that a provider reports.
	MaxModelName = 256
	// MaxRaw limits the opaque block of a reply in bytes.
	MaxRaw = 4 << 20
	// MaxDepth limits the nesting of arrays and objects in a call's arguments and in an opaque
	// block. Events, prompts and pages add further levels around them, and encoding/json cannot
	// write more than 10,000.
	MaxDepth = 128
	// MaxTokens limits each token count of a usage.
	MaxTokens = 1_000_000_000
	// MaxCost limits the cost that a provider can report for one attempt, in micro-dollars: a
	// million dollars.
	MaxCost = 1_000_000_000_000
	// MaxReply limits a whole reply as it is recorded, so that it fits into one event with its
	// envelope.
	MaxReply = events.MaxEventBytes - 16<<10
	// MaxMessage limits the bytes of an error's message.
	MaxMessage = 2 << 10
)
