package openai

import (
	"bytes"
	"encoding/json"

	openai "github.com/openai/openai-go/v3"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// answer reads the events of one stream of Chat Completions.
type answer struct {
	reading
	thought thoughts
	calls   calls
	finish  string // the finish_reason; empty until it arrives
}

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
		return nil, told
	}
	var chunk openai.ChatCompletionChunk
	if err := json.Unmarshal(data, &chunk); err != nil {
		return nil, llm.Incomplete("an event of the stream is not a chunk: %v", err)
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

// choice handles the part of the reply in a chunk.
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
		return nil, llm.Incomplete("the reply's reasoning has more than %d bytes", llm.MaxRaw)
	}
	for _, piece := range c.Delta.ToolCalls {
		if err := a.calls.take(piece); err != nil {
			return nil, err
		}
	}
	if c.Delta.Content == "" {
		return nil, nil
	}
	a.said.WriteString(c.Delta.Content)
	return []llm.Chunk{llm.TextDelta(c.Delta.Content)}, nil
}

// think keeps reasoning that must go back. It returns false if there is too much.
func (a *answer) think(d openai.ChatCompletionChunkChoiceDelta) bool {
	if a.server.Back == BackNever {
		return true
	}
	text := func(field string) (s string) {
		_ = json.Unmarshal([]byte(d.JSON.ExtraFields[field].Raw()), &s) // ignore what is not a string
		return s
	}
	var details []detail
	_ = json.Unmarshal([]byte(d.JSON.ExtraFields["reasoning_details"].Raw()), &details)
	return a.thought.add(text("reasoning_content"), text("reasoning"), details)
}

func (a *answer) end(err error) ([]llm.Chunk, error) {
	if err != nil {
		return nil, err
	}
	switch a.finish {
	case "stop", "tool_calls", "function_call", "length":
	case "":
		return nil, llm.Incomplete("the answer ended without a finish_reason")
	case "content_filter":
		return nil, refused("the server's content filter stopped the answer")
	case "insufficient_system_resource":
		return nil, &llm.Error{Kind: events.ModelOverloaded, Message: a.server.Name + " ran out of resources in the middle " +
			"of the answer"}
	default:
		return nil, llm.Incomplete("the answer ended with the reason %q, which does not mean that it is "+
			"complete", clip(a.finish))
	}
	if a.refusal.Len() > 0 {
		return nil, refused(a.refusal.String())
	}
	return a.whole(), nil
}

// whole returns the last chunks of a complete reply. If the reply was cut off, only its last call
// is incomplete.
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
	return append(out, a.closing(cut, len(calls), a.server.opaque(a.request.Model, calls, a.thought.whole()))...)
}
