package llm

import "manualslop/events"

// Limits of one request and one reply.
const (
	// MaxPrompt bounds the bytes of a request's texts, results and arguments.
	// A longer one is refused as context_too_long before it is sent.
	MaxPrompt = 8 << 20
	// MaxText bounds the bytes of a reply's text.
	MaxText = 256 << 10
	// MaxCalls bounds the tool calls of a reply.
	MaxCalls = 64
	// MaxToolName bounds the bytes of a tool's name in a call.
	MaxToolName = 128
	// MaxModelName bounds the bytes of the model's name that a provider gives.
	MaxModelName = 256
	// MaxRaw bounds the opaque block of a reply in bytes.
	MaxRaw = 4 << 20
	// MaxDepth bounds how deep arrays and objects are nested in a call's
	// arguments and in an opaque block: events, prompts and pages wrap them in
	// more, and what is deeper than 10,000 cannot be written as JSON any more.
	MaxDepth = 128
	// MaxTokens bounds each count of a usage.
	MaxTokens = 1_000_000_000
	// MaxCost bounds what a provider can say that one attempt cost, in
	// micro-dollars: a million dollars.
	MaxCost = 1_000_000_000_000
	// MaxReply bounds a whole reply as it is recorded, so that it fits one
	// event with its envelope.
	MaxReply = events.MaxEventBytes - 16<<10
	// MaxMessage bounds the bytes of an error's message.
	MaxMessage = 2 << 10
)
