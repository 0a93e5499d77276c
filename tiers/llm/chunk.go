package llm

import (
	"context"
	"iter"

	"manualslop/events"
)

// Provider is one way to reach models.
type Provider interface {
	// Name is the provider's name in the configuration and on the record.
	Name() string
	// Wire names the format of Body and its version, such as "anthropic/2". The
	// version goes up whenever the same request would give other bytes.
	Wire() string
	// Body is the body that Stream sends for r, to the byte: a pure function of
	// r. It fails, with an [*Error], only on what cannot be sent at all.
	Body(r Request) ([]byte, error)
	// Stream makes one attempt at a reply. It yields chunks and then either
	// Finish or an error, always an [*Error], as the last thing. It ends soon
	// after ctx does, and when its consumer stops.
	Stream(ctx context.Context, r Request) iter.Seq2[Chunk, error]
}

// Chunk is one piece of a reply on its way: exactly one of [TextDelta],
// [CallBegin], [CallArgs], [CallEnd], [Usage] and [Finish].
//
//sumtype:decl
type Chunk interface{ chunk() }

// TextDelta is the next piece of the reply's text.
type TextDelta string

// CallBegin opens a tool call. Indexes count from 0 in the order of opening;
// calls may be open beside each other.
type CallBegin struct {
	Index int
	Name  string
}

// CallArgs is the next piece of an open call's arguments, as the model wrote them.
type CallArgs struct {
	Index int
	Text  string
}

// CallEnd says that an open call's arguments are whole.
type CallEnd struct {
	Index int
	// Malformed says why the call cannot run, where the adapter knows; empty
	// leaves that to its arguments.
	Malformed string
}

// Usage counts tokens so far, in the sense of [events.Usage]: an adapter whose
// vendor counts cached tokens among the others takes them out. It is cumulative: a later one replaces an
// earlier one. A provider whose vendor reports none yields [Estimate].
type Usage events.Usage

// Reasons to finish.
const (
	FinishStop      = "stop"
	FinishToolCalls = "tool_calls"
	FinishMaxTokens = "max_tokens"
)

// Finish is the vendor's terminal marker, the last chunk of a whole reply.
type Finish struct {
	// Reason is stop, tool_calls or max_tokens.
	Reason string
	// Model is the model's name as the provider spelled it; may be empty.
	Model string
	// Raw is what the vendor wants back verbatim; nil if nothing.
	Raw *Opaque
	// CLI is the run of the provider's program; nil if there is none.
	CLI *events.CLICall
}

func (TextDelta) chunk() {}
func (CallBegin) chunk() {}
func (CallArgs) chunk()  {}
func (CallEnd) chunk()   {}
func (Usage) chunk()     {}
func (Finish) chunk()    {}
