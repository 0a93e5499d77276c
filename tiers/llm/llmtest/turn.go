package llmtest

import (
	"time"

	"manualslop/events"
)

// Turn is one scripted answer.
type Turn struct {
	// Thinking is thought first, and signed; Redacted is thought in secret.
	Thinking, Redacted string
	Text               string
	Calls              []Call
	// Usage is what the vendor reports; nil: counted, with its cache.
	Usage *events.Usage
	// cut says that the reply ended at the request's limit.
	cut bool
	// Stop is the vendor's own word for why it ends; empty: the one that fits.
	Stop string
	// Fault goes wrong, for some faults before frame At of the stream, counted
	// from 0; negative: in its middle.
	Fault Fault
	At    int
	// Error is an error of the neutral kinds in the vendor's form, in place of
	// an answer; empty: none. RetryAfter goes with it.
	Error, Message string
	RetryAfter     time.Duration
	// Delay passes before the answer begins.
	Delay time.Duration
	// Gate lets one frame of the stream out for each value received; nil: all.
	Gate <-chan struct{}
}

// Call is a tool call of a turn.
type Call struct {
	// ID is the vendor's; empty: one that occurs once.
	ID, Name string
	// Args is the text of the arguments as the model writes it.
	Args string
}

// View is what a request asks, in no vendor's words.
type View struct {
	Number   int // of the accepted requests, from 0
	Model    string
	System   string
	Messages []Said
	Tools    []string
	// Limit is the most tokens of the reply, thoughts included; 0: none is given.
	Limit int
	// Body is what was sent, to the byte.
	Body []byte
	// wire keeps what the vendor's part of the server needs.
	wire any
}

// Said is one message of a request.
type Said struct {
	Role string // user or assistant
	// Text is its texts and results, joined by line breaks.
	Text    string
	Calls   []Call
	Results []Result
	// Opaque tells whether it brings what only its vendor can read.
	Opaque bool
}

// Result is a tool's result in a request.
type Result struct {
	Call, Text string
	Failed     bool
}

// Newest is the text of the last message.
func (v View) Newest() string {
	if len(v.Messages) == 0 {
		return ""
	}
	return v.Messages[len(v.Messages)-1].Text
}

// Options say how a server behaves.
type Options struct {
	// Vendor picks the wire for [Start]: anthropic, gemini, or the name of one of
	// the [Flavours].
	Vendor string
	// Key opens the server; empty: [Key].
	Key string
	// Models are those it has; nil: the vendor's.
	Models []string
	// Turns answer in their order; Answer answers in their place, and Script,
	// the text of a file of the scripted model, in place of both. Answer is
	// called for one request at a time and asks nothing of the server.
	Turns  []Turn
	Answer func(View) Turn
	Script string
	// Thinking is thought before each turn of Script; empty: nothing.
	Thinking string
	// Tier finds the tier of a request by its system prompt, for Script; nil:
	// by the words of the tiers' own prompts.
	Tier func(system string) int
	// MinPrefix is the tokens below which nothing is cached; 0: the vendor's.
	MinPrefix int64
}

// Key opens a server that was given no other.
const Key = "llmtest-key-0123456789"
