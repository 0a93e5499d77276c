package openai

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"strings"

	openai "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// answer reads the events of one stream.
type answer struct {
	server  Server
	request llm.Request

	said    strings.Builder // text and arguments, for an estimate
	refusal strings.Builder
	thought thoughts
	calls   calls
	usage   *events.Usage
	model   string
	finish  string // the finish_reason; empty until it came
	done    bool   // the line [DONE] came
	failed  error  // why there is no whole answer
}

// read yields the chunks of a stream to its end; false when the consumer wants
// no more. Failed then says whether the answer is whole.
func (a *answer) read(ctx context.Context, events ssestream.Decoder, yield func(llm.Chunk, error) bool) bool {
	for !a.done && ctx.Err() == nil && events.Next() {
		var chunks []llm.Chunk
		chunks, a.failed = a.take(events.Event().Data)
		if !send(yield, chunks) {
			return false
		}
		if a.failed != nil {
			return true
		}
	}
	var chunks []llm.Chunk
	chunks, a.failed = a.end(cmp.Or(ctx.Err(), events.Err()))
	return send(yield, chunks)
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

// take reads one event; chunks count even where there is an error.
func (a *answer) take(data []byte) ([]llm.Chunk, error) {
	data = bytes.TrimSpace(data)
	switch {
	case len(data) == 0:
		return nil, nil
	case bytes.Equal(data, []byte("[DONE]")):
		a.done = true
		return nil, nil
	}
	if told := errorIn(data); told != nil {
		return a.paid(), told
	}
	var chunk openai.ChatCompletionChunk
	if err := json.Unmarshal(data, &chunk); err != nil {
		return a.paid(), llm.Incomplete("an event of the stream is no chunk: %v", err)
	}
	if chunk.Model != "" {
		a.model = chunk.Model
	}
	if used := usageOf(chunk.Usage.RawJSON()); used != nil {
		a.usage = used
	}
	for _, choice := range chunk.Choices {
		if choice.Index == 0 {
			return a.choice(choice)
		}
	}
	return nil, nil
}

// choice reads the part of the reply that a chunk brings.
func (a *answer) choice(c openai.ChatCompletionChunkChoice) ([]llm.Chunk, error) {
	if c.FinishReason != "" {
		a.finish = c.FinishReason
	}
	if used := usageOf(c.JSON.ExtraFields["usage"].Raw()); used != nil {
		a.usage = used
	}
	if a.refusal.Len() < llm.MaxMessage {
		a.refusal.WriteString(clip(c.Delta.Refusal))
	}
	if !a.think(c.Delta) {
		return a.paid(), llm.Incomplete("the reply's reasoning is over %d bytes", llm.MaxRaw)
	}
	for _, piece := range c.Delta.ToolCalls {
		if err := a.calls.take(piece); err != nil {
			return a.paid(), err
		}
	}
	if c.Delta.Content == "" {
		return nil, nil
	}
	a.said.WriteString(c.Delta.Content)
	return []llm.Chunk{llm.TextDelta(c.Delta.Content)}, nil
}

// think keeps what goes back; false when it is too much.
func (a *answer) think(d openai.ChatCompletionChunkChoiceDelta) bool {
	if a.server.Back == BackNever {
		return true
	}
	text := func(field string) (s string) {
		_ = json.Unmarshal([]byte(d.JSON.ExtraFields[field].Raw()), &s) // no text is no thought
		return s
	}
	var details []detail
	_ = json.Unmarshal([]byte(d.JSON.ExtraFields["reasoning_details"].Raw()), &details)
	return a.thought.add(text("reasoning_content"), text("reasoning"), details)
}

// paid is what the server reported as used.
func (a *answer) paid() []llm.Chunk {
	if a.usage == nil {
		return nil
	}
	return []llm.Chunk{llm.Usage(*a.usage)}
}

// end is what stands at the end of a stream that ended with err.
func (a *answer) end(err error) ([]llm.Chunk, error) {
	if err != nil {
		return a.paid(), err
	}
	switch a.finish {
	case "stop", "tool_calls", "function_call", "length":
	case "":
		return a.paid(), llm.Incomplete("the answer ended without a finish_reason")
	case "content_filter":
		return a.paid(), a.refused("the server's content filter stopped the answer")
	case "insufficient_system_resource":
		return a.paid(), &llm.Error{Kind: events.ModelOverloaded, Message: a.server.Name + " ran out of resources in the middle of the answer"}
	default:
		return a.paid(), llm.Incomplete("the answer ended for the reason %q, which is no end of a whole answer", clip(a.finish))
	}
	if a.refusal.Len() > 0 {
		return a.paid(), a.refused(a.refusal.String())
	}
	return a.whole(), nil
}

func (a *answer) refused(why string) error {
	return &llm.Error{Kind: events.ModelRefused, Message: "the model refused: " + clip(why)}
}

// whole is the end of a whole reply. What was cut off is in the last call.
func (a *answer) whole() []llm.Chunk {
	cut := a.finish == "length"
	var out []llm.Chunk
	calls := a.calls.whole()
	for i, c := range calls {
		out = append(out, llm.CallBegin{Index: i, Name: c.Function.Name}, llm.CallArgs{Index: i, Text: c.Function.Arguments})
		if !cut || i < len(calls)-1 {
			out = append(out, llm.CallEnd{Index: i})
		}
		a.said.WriteString(c.Function.Name + c.Function.Arguments)
	}
	if a.usage == nil {
		estimated := llm.Estimate(a.request, a.said.String())
		a.usage = &estimated
	}
	finish := llm.Finish{Reason: llm.FinishStop, Model: a.model, Raw: a.server.opaque(a.request.Model, calls, a.thought.whole())}
	switch {
	case cut:
		finish.Reason = llm.FinishMaxTokens
	case len(calls) > 0:
		finish.Reason = llm.FinishToolCalls
	}
	return append(out, llm.Usage(*a.usage), finish)
}
