package gemini

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"

	"google.golang.org/genai"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/transport"
)

// Stream makes one attempt at a reply.
func (p Provider) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		body, err := r.BodyBy(p)
		if err != nil {
			yield(nil, err)
			return
		}
		call := p.begin(transport.Options{Stream: true, Body: body})
		yield = call.Watch(yield)
		tap := &tap{under: call}
		client, err := p.client(ctx, tap)
		if err != nil {
			yield(nil, err)
			return
		}
		reading := reading{origin: origin(r.Model), yield: yield}
		// The body is ours already; a continuation would be a second attempt.
		config := &genai.GenerateContentConfig{AutomaticContinuation: genai.Ptr(false)}
		for _, err := range client.Models.GenerateContentStream(ctx, r.Model, nil, config) {
			if err == nil {
				err = reading.take(tap.next())
			}
			if ctx.Err() != nil { // what came before does not matter any more
				err = ctx.Err()
			}
			if err != nil {
				reading.fail(p.failure(ctx, call, err))
				return
			}
			if reading.stopped {
				return
			}
		}
		reason, err := reading.outcome()
		if bad := p.failure(ctx, call, err); bad != nil { // what went wrong below counts more
			reading.fail(bad)
			return
		}
		reading.say(llm.Finish{Reason: reason, Model: reading.model, Raw: reading.raw()})
	}
}

// reading is a reply while its chunks come in.
type reading struct {
	origin  string
	yield   func(llm.Chunk, error) bool
	stopped bool // the consumer has enough, or heard of an error

	calls  int
	parts  []json.RawMessage // all, as the server sent them
	signed bool              // some part holds a signature
	model  string
	finish genai.FinishReason
	why    string
}

// take reads one chunk.
func (r *reading) take(c chunk) error {
	if c.unreadable {
		return errUnreadable
	}
	if c.Error != nil {
		return c.Error
	}
	if c.UsageMetadata != nil {
		r.say(llm.Usage(c.UsageMetadata.neutral()))
	}
	if c.ModelVersion != "" {
		r.model = c.ModelVersion
	}
	if f := c.PromptFeedback; f.BlockReason != "" && f.BlockReason != genai.BlockedReasonUnspecified {
		return &llm.Error{Kind: events.ModelRefused, Message: strings.TrimSpace(fmt.Sprintf("gemini refused the prompt: %s %s", f.BlockReason, f.BlockReasonMessage))}
	}
	if len(c.Candidates) == 0 {
		return nil
	}
	for _, raw := range c.Candidates[0].Content.Parts {
		if err := r.part(raw); err != nil {
			return err
		}
	}
	if first := c.Candidates[0]; first.FinishReason != "" && first.FinishReason != genai.FinishReasonUnspecified {
		r.finish, r.why = first.FinishReason, first.FinishMessage
	}
	return nil
}

// errUnreadable says that an event of the stream is no JSON of the API.
var errUnreadable = errors.New("the server sent an event that is no chunk of a reply")

// part reads one part of the reply: a piece of text, a thought, or a call, which
// always comes whole.
func (r *reading) part(raw json.RawMessage) error {
	var p piece
	if json.Unmarshal(raw, &p) != nil {
		return errUnreadable
	}
	if !p.empty(raw) {
		r.parts = append(r.parts, raw)
	}
	r.signed = r.signed || p.ThoughtSignature != ""
	if p.Text != "" && !p.Thought {
		r.say(llm.TextDelta(p.Text))
	}
	if c := p.FunctionCall; c != nil {
		r.say(llm.CallBegin{Index: r.calls, Name: c.Name})
		r.say(llm.CallArgs{Index: r.calls, Text: string(c.Args)})
		r.say(llm.CallEnd{Index: r.calls})
		r.calls++
	}
	return nil
}

// say hands out a chunk unless the consumer has enough.
func (r *reading) say(c llm.Chunk) {
	if !r.stopped {
		r.stopped = !r.yield(c, nil)
	}
}

// fail ends the reply with an error.
func (r *reading) fail(err error) {
	if !r.stopped {
		r.stopped = true
		r.yield(nil, err)
	}
}

// raw is the whole content, if anything in it must go back verbatim.
func (r *reading) raw() *llm.Opaque {
	if !r.signed {
		return nil
	}
	data, err := json.Marshal(struct {
		Role  string            `json:"role"`
		Parts []json.RawMessage `json:"parts"`
	}{roleModel, r.parts})
	if err != nil {
		return nil // parts are JSON that was read
	}
	return &llm.Opaque{Origin: r.origin, Data: data}
}
