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
	// MaxRaw bounds the opaque block of a reply in bytes.
	MaxRaw = 4 << 20
	// MaxReply bounds a whole reply as it is recorded, so that it fits one
	// event with its envelope.
	MaxReply = events.MaxEventBytes - 16<<10
	// MaxMessage bounds the bytes of an error's message.
	MaxMessage = 2 << 10
)
