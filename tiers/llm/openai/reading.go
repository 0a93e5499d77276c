package openai

import (
	"cmp"
	"context"
	"strings"

	"github.com/openai/openai-go/v3/packages/ssestream"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// reader takes the events of a stream of one of the two wires.
type reader interface {
	// take reads one event; chunks count even where there is an error.
	take(data []byte) ([]llm.Chunk, error)
	// end is what comes after a whole reply, or why there is none; err is how the
	// stream ended.
	end(err error) ([]llm.Chunk, error)
	// isDone reports whether the closing event came.
	isDone() bool
	// paid is what the server reported as used.
	paid() []llm.Chunk
}

// read yields the chunks of a stream to its end; more is false when the consumer
// wants no more. The error says why there is no whole answer.
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

// send yields chunks; false when the consumer wants no more.
func send(yield func(llm.Chunk, error) bool, chunks []llm.Chunk) bool {
	for _, c := range chunks {
		if !yield(c, nil) {
			return false
		}
	}
	return true
}

// reading is what is known of a reply on either wire while it comes.
type reading struct {
	server  Server
	request llm.Request

	said    strings.Builder // text and arguments, for an estimate
	refusal strings.Builder
	usage   *events.Usage
	model   string
	done    bool // the closing event came
}

func (r *reading) isDone() bool { return r.done }

func (r *reading) paid() []llm.Chunk {
	if r.usage == nil {
		return nil
	}
	return []llm.Chunk{llm.Usage(*r.usage)}
}

// closing returns what comes after a whole reply with the given number of
// calls.
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
