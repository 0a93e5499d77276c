package openai

import (
	"cmp"
	"context"
	"strings"

	"github.com/openai/openai-go/v3/packages/ssestream"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// reader handles the events of a stream of one of the two APIs.
type reader interface {
	// take handles one event; the chunks are valid even if it returns an error.
	take(data []byte) ([]llm.Chunk, error)
	// end returns the last chunks of a complete reply, or why it is not complete; err is how the
	// stream ended.
	end(err error) ([]llm.Chunk, error)
	// isDone reports whether the closing event was received.
	isDone() bool
	// paid returns the usage that the server reported.
	paid() []llm.Chunk
}

// read yields the chunks of a stream to its end; more is false if the consumer stopped. The error
// says why the reply is not complete.
func read(
	ctx context.Context, stream ssestream.Decoder, r reader, yield func(llm.Chunk, error) bool,
) (more bool, err error) {
	for !r.isDone() && ctx.Err() == nil && stream.Next() {
		var chunks []llm.Chunk
		chunks, err = r.take(stream.Event().Data)
		if !send(yield, chunks) {
			return false, nil
		}
		if err != nil {
			return send(yield, r.paid()), err
		}
	}
	chunks, err := r.end(cmp.Or(ctx.Err(), stream.Err()))
	if err != nil {
		chunks = r.paid()
	}
	return send(yield, chunks), err
}

// send yields chunks. It returns false if the consumer stopped.
func send(yield func(llm.Chunk, error) bool, chunks []llm.Chunk) bool {
	for _, c := range chunks {
		if !yield(c, nil) {
			return false
		}
	}
	return true
}

// reading is the state of a reply that is still arriving, for both APIs.
type reading struct {
	server  Server
	request llm.Request

	said    strings.Builder // text and arguments so far, for an estimate
	refusal strings.Builder
	usage   *events.Usage
	model   string
	done    bool // the closing event arrived
}

func (r *reading) isDone() bool { return r.done }

func (r *reading) paid() []llm.Chunk {
	if r.usage == nil {
		return nil
	}
	return []llm.Chunk{llm.Usage(*r.usage)}
}

// closing returns the last chunks of a complete reply with the given number of calls.
func (r *reading) closing(cut bool, calls int, raw *llm.Opaque) []llm.Chunk {
	if r.usage == nil {
		estimated := llm.Estimate(r.request, r.said.String())
		r.usage = &estimated
	}
	finish := llm.Finish{Reason: llm.FinishStop, Model: r.model, Raw: raw}
	switch {
	case cut:
		finish.Reason = llm.FinishMaxTokens
	case calls > 0:
		finish.Reason = llm.FinishToolCalls
	}
	return append(r.paid(), finish)
}

func refused(why string) error {
	return &llm.Error{Kind: events.ModelRefused, Message: "the model refused: " + clip(why)}
}
