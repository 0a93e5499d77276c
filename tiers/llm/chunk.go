package llm

import (
	"context"
	"iter"

	"manualslop/events"
)

// Provider is one way to reach models.
type Provider interface {
	// Name is the provider's name in the configuration and in the record.
	Name() string
	// Wire names the format and version of Body, such as "anthropic/2". The version increases
	// whenever the same request would produce different bytes.
	Wire() string
	// Body returns the exact bytes that Stream sends for r. It is a pure function of r. It fails,
	// with an [*Error], only for a request that cannot be sent at all.
	Body(r Request) ([]byte, error)
	// Stream makes one attempt at a reply. It yields chunks, and as the last item either Finish or
	// an error, which is always an [*Error]. It ends soon after ctx is done or its consumer stops.
	Stream(ctx context.Context, r Request) iter.Seq2[Chunk, error]
}

// Chunk is one piece of a streamed reply: exactly one of [TextDelta], [CallBegin], [CallArgs],
// [CallEnd], [Usage] and [Finish].
//
//sumtype:decl
type Chunk interface{ chunk() }

// TextDelta is the next piece of the reply's text.
type TextDelta string

// CallBegin opens a tool call. Indexes count from 0 in the order of opening; several calls may be
// open at the same time.
type CallBegin struct {
	Index int
	Name  string
}

// CallArgs is the next piece of an open call's arguments, exactly as the model wrote it.
type CallArgs struct {
	Index int
	Text  string
}

// CallEnd marks the arguments of an open call as complete.
type CallEnd struct {
	Index int
	// Malformed is the adapter's reason why the call cannot run. If empty, the arguments decide.
	Malformed string
}

// Usage counts the tokens so far as [events.Usage] defines them: an adapter whose vendor includes
// cached tokens in the input subtracts them. It is cumulative: a later Usage replaces an earlier
// one. A provider whose vendor reports no usage yields [Estimate].
type Usage events.Usage

// Finish reasons.
const (
	FinishStop      = "stop"
	FinishToolCalls = "tool_calls"
	FinishMaxTokens = "max_tokens"
)

// Finish is the vendor's terminal marker, the last chunk of a whole reply.
type Finish struct {
	// Reason is FinishStop, FinishToolCalls or FinishMaxTokens.
	Reason string
	// Model is the model's name as the provider spelled it; may be empty.
	Model string
	// Raw is the data that the vendor needs back verbatim; nil if there is none.
	Raw *Opaque
	// CLI describes the run of the provider's program; nil if it runs none.
	CLI *events.CLICall
}

func (TextDelta) chunk() {}
func (CallBegin) chunk() {}
func (CallArgs) chunk()  {}
func (CallEnd) chunk()   {}
func (Usage) chunk()     {}
func (Finish) chunk()    {}
