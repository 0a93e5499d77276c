package gemini

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

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
		if p.Endpoint.Key == "" {
			yield(nil, llm.NoKey(Name))
			return
		}
		call := transport.Begin(p.Endpoint, transport.Options{Stream: true, Silence: p.Silence})
		reading := reading{origin: origin(r.Model), yield: call.Watch(yield)}
		resp, err := p.ask(ctx, call, r.Model, body)
		if err == nil {
			err = reading.all(ctx, resp.Body)
			_ = resp.Body.Close() // the transport reports errors itself
		}
		if reading.stopped {
			return
		}
		var reason string
		if err == nil {
			reason, err = reading.outcome()
		}
		if bad := p.failure(ctx, call, err); bad != nil { // a transport error takes precedence over err
			reading.fail(bad)
			return
		}
		reading.say(llm.Finish{Reason: reason, Model: reading.model, Raw: reading.raw()})
	}
}

// reading is a reply whose chunks are still arriving.
type reading struct {
	origin  string
	yield   func(llm.Chunk, error) bool
	stopped bool // the consumer stopped, or got an error

	calls  int
	parts  []json.RawMessage // all parts, as the server sent them
	signed bool              // a part has a signature
	model  string
	finish string
	why    string
}

// all reads a stream to its end, or until the consumer stops.
func (r *reading) all(ctx context.Context, stream io.Reader) error {
	lines := bufio.NewReader(stream)
	for !r.stopped {
		data, err := nextEvent(lines)
		if err == nil {
			err = r.take(data)
		}
		if ctx.Err() != nil { // nothing read before matters now
			return ctx.Err()
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// take handles one chunk.
func (r *reading) take(data []byte) error {
	var c chunk
	if json.Unmarshal(data, &c) != nil {
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
	if f := c.PromptFeedback; f.BlockReason != "" && f.BlockReason != "BLOCKED_REASON_UNSPECIFIED" {
		message := strings.TrimSpace(fmt.Sprintf("gemini refused the prompt: %s %s", f.BlockReason, f.BlockReasonMessage))
		return &llm.Error{Kind: events.ModelRefused, Message: message}
	}
	if len(c.Candidates) == 0 {
		return nil
	}
	for _, raw := range c.Candidates[0].Content.Parts {
		if err := r.part(raw); err != nil {
			return err
		}
	}
	if first := c.Candidates[0]; first.FinishReason != "" && first.FinishReason != "FINISH_REASON_UNSPECIFIED" {
		r.finish, r.why = first.FinishReason, first.FinishMessage
	}
	return nil
}

// errUnreadable means that an event of the stream is not JSON in the API's format.
var errUnreadable = errors.New("the server sent an event that is not a chunk of a reply")

// part handles one part of the reply: a piece of text, a thought, or a call, which always arrives
// complete.
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

// say yields a chunk unless the consumer stopped.
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

// raw returns the whole content if anything in it must go back verbatim.
func (r *reading) raw() *llm.Opaque {
	if !r.signed {
		return nil
	}
	data, err := json.Marshal(struct {
		Role  string            `json:"role"`
		Parts []json.RawMessage `json:"parts"`
	}{roleModel, r.parts})
	if err != nil {
		return nil // the parts were read as JSON, so this cannot fail
	}
	return &llm.Opaque{Origin: r.origin, Data: data}
}
