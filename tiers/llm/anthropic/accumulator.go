package anthropic

import (
	"encoding/json"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// maxBlocks limits the blocks of one reply.
const maxBlocks = 1024

// accumulator turns events into chunks and keeps the content that must be sent back.
type accumulator struct {
	request llm.Request
	blocks  []*draft
	calls   int
	bytes   int // bytes kept so far
	model   string
	usage   *events.Usage
	stop    string
	done    bool
	failed  *llm.Error
}

// draft is a block that is still arriving.
type draft struct {
	kind      string
	id, name  string
	data      string // of redacted thinking
	text      strings.Builder
	signature strings.Builder
	call      int // index of the call, if the block is one
	closed    bool
}

func newAccumulator(r llm.Request) *accumulator { return &accumulator{request: r} }

// outcome returns err, what was wrong with the events, or an error if they ended early; nil for a
// complete reply.
func (a *accumulator) outcome(err error) error {
	switch {
	case a.failed != nil:
		return a.failed
	case a.done:
		return nil
	case err != nil:
		return err
	}
	return llm.Incomplete("the reply ended before message_stop")
}

// take returns the chunks of an event. Events of unknown types have none.
func (a *accumulator) take(e sdk.MessageStreamEventUnion) []llm.Chunk {
	switch e.Type {
	case "message_start":
		a.model = e.Message.Model
		if e.Message.JSON.Usage.Valid() {
			a.begin(e.Message.Usage)
		}
		return a.reported()
	case "content_block_start":
		return a.start(e)
	case "content_block_delta":
		return a.delta(e)
	case "content_block_stop":
		return a.close(e.Index)
	case "message_delta":
		a.stop = string(e.Delta.StopReason)
		if e.JSON.Usage.Valid() {
			a.update(e.Usage)
		}
		return a.reported()
	case "message_stop":
		return a.end()
	}
	return nil
}

// reported returns the usage so far, which was paid for however the stream ends.
func (a *accumulator) reported() []llm.Chunk {
	if a.usage == nil {
		return nil
	}
	return []llm.Chunk{llm.Usage(*a.usage)}
}

// begin records the usage of the prompt.
func (a *accumulator) begin(u sdk.Usage) {
	a.usage = &events.Usage{
		Input: u.InputTokens, Output: u.OutputTokens, CacheRead: u.CacheReadInputTokens,
		CacheWrite: u.CacheCreationInputTokens, CacheWriteHour: u.CacheCreation.Ephemeral1hInputTokens,
		Thinking: u.OutputTokensDetails.ThinkingTokens,
	}
}

// update applies the cumulative counts of a later event, if it has any.
func (a *accumulator) update(u sdk.MessageDeltaUsage) {
	if a.usage == nil {
		a.usage = &events.Usage{}
	}
	a.usage.Output = u.OutputTokens
	for _, field := range []struct {
		valid bool
		to    *int64
		from  int64
	}{
		{u.JSON.InputTokens.Valid(), &a.usage.Input, u.InputTokens},
		{u.JSON.CacheReadInputTokens.Valid(), &a.usage.CacheRead, u.CacheReadInputTokens},
		{u.JSON.CacheCreationInputTokens.Valid(), &a.usage.CacheWrite, u.CacheCreationInputTokens},
		{u.OutputTokensDetails.JSON.ThinkingTokens.Valid(), &a.usage.Thinking, u.OutputTokensDetails.ThinkingTokens},
	} {
		if field.valid {
			*field.to = field.from
		}
	}
}

func (a *accumulator) start(e sdk.MessageStreamEventUnion) []llm.Chunk {
	if e.Index != int64(len(a.blocks)) || len(a.blocks) == maxBlocks {
		a.failed = llm.Incomplete("the server opened block %d, but block %d (of at most %d) is next", e.Index, len(a.blocks),
			maxBlocks)
		return nil
	}
	b := e.ContentBlock
	d := &draft{kind: b.Type, id: b.ID, name: b.Name, data: b.Data}
	a.blocks = append(a.blocks, d)
	a.keep(len(b.Data) + len(b.Signature))
	d.signature.WriteString(b.Signature)
	switch b.Type {
	case "text":
		return a.say(d, b.Text)
	case "thinking":
		return a.think(d, b.Thinking)
	case "tool_use":
		d.call = a.calls
		a.calls++
		return []llm.Chunk{llm.CallBegin{Index: d.call, Name: b.Name}}
	}
	return nil
}

// keep adds to the bytes that are kept and fails if they exceed the limit.
func (a *accumulator) keep(n int) {
	if a.bytes += n; a.bytes > llm.MaxRaw {
		a.failed = llm.Incomplete("the reply has more than %d bytes", llm.MaxRaw)
	}
}

func (a *accumulator) say(d *draft, text string) []llm.Chunk {
	if text == "" {
		return nil
	}
	a.keep(len(text))
	d.text.WriteString(text)
	return []llm.Chunk{llm.TextDelta(text)}
}

func (a *accumulator) think(d *draft, text string) []llm.Chunk {
	a.keep(len(text))
	d.text.WriteString(text)
	return nil
}

func (a *accumulator) delta(e sdk.MessageStreamEventUnion) []llm.Chunk {
	kind := map[string]string{"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "thinking",
		"input_json_delta": "tool_use"}[e.Delta.Type]
	d := a.open(e.Index)
	switch {
	case kind == "", d != nil && d.kind != kind && !known(d.kind):
		return nil // an unknown type
	case d == nil || d.kind != kind:
		a.failed = llm.Incomplete("the server sent a %s for block %d, which does not accept it", e.Delta.Type, e.Index)
		return nil
	}
	switch e.Delta.Type {
	case "text_delta":
		return a.say(d, e.Delta.Text)
	case "thinking_delta":
		return a.think(d, e.Delta.Thinking)
	case "signature_delta":
		a.keep(len(e.Delta.Signature))
		d.signature.WriteString(e.Delta.Signature)
		return nil
	}
	a.keep(len(e.Delta.PartialJSON))
	d.text.WriteString(e.Delta.PartialJSON)
	return []llm.Chunk{llm.CallArgs{Index: d.call, Text: e.Delta.PartialJSON}}
}

func known(kind string) bool {
	return kind == "text" || kind == "thinking" || kind == "redacted_thinking" || kind == "tool_use"
}

// open returns the open block with an index; nil if there is none.
func (a *accumulator) open(index int64) *draft {
	if index < 0 || index >= int64(len(a.blocks)) || a.blocks[index].closed {
		return nil
	}
	return a.blocks[index]
}

func (a *accumulator) close(index int64) []llm.Chunk {
	d := a.open(index)
	if d == nil {
		a.failed = llm.Incomplete("the server closed block %d, which is not open", index)
		return nil
	}
	d.closed = true
	if d.kind == "tool_use" {
		return []llm.Chunk{llm.CallEnd{Index: d.call}}
	}
	return nil
}

// end returns the last chunks of a complete reply, or why the reply is not complete. Both include
// the usage.
func (a *accumulator) end() []llm.Chunk {
	out := []llm.Chunk{llm.Usage(a.used())}
	reason := map[string]string{"end_turn": llm.FinishStop, "stop_sequence": llm.FinishStop,
		"tool_use": llm.FinishToolCalls, "max_tokens": llm.FinishMaxTokens}[a.stop]
	switch {
	case a.stop == "refusal":
		a.failed = &llm.Error{Kind: events.ModelRefused, Message: "the model refused to answer"}
	case a.stop == "model_context_window_exceeded":
		a.failed = &llm.Error{Kind: events.ModelContextTooLong, Message: "prompt and reply together exceed the model's " +
			"context window"}
	case a.stop == "pause_turn":
		a.failed = llm.Incomplete("the model paused its turn for server tools that were not requested")
	case reason == "":
		a.failed = llm.Incomplete("the reply ended with the unknown reason %q", a.stop)
	}
	if a.failed != nil {
		return out
	}
	a.done = true
	return append(out, llm.Finish{Reason: reason, Model: a.model, Raw: a.raw()})
}

// used returns the reported usage, or an estimate.
func (a *accumulator) used() events.Usage {
	if a.usage != nil {
		return *a.usage
	}
	var said strings.Builder
	for _, d := range a.blocks {
		said.WriteString(d.name)
		said.WriteString(d.text.String())
	}
	return llm.Estimate(a.request, said.String())
}

// raw returns the content that the vendor needs back; nil if none of it is signed, because the
// portable part is then enough.
func (a *accumulator) raw() *llm.Opaque {
	signed := false
	out := []any{}
	for _, d := range a.blocks {
		switch d.kind {
		case "thinking":
			if d.signature.Len() == 0 {
				continue // cut off before it was signed, so the vendor would reject it
			}
			signed = true
			out = append(out, map[string]string{"type": d.kind, "thinking": d.text.String(), "signature": d.signature.String()})
		case "redacted_thinking":
			signed = true
			out = append(out, map[string]string{"type": d.kind, "data": d.data})
		case "text":
			if !blank(d.text.String()) {
				out = append(out, map[string]string{"type": d.kind, "text": d.text.String()})
			}
		case "tool_use":
			out = append(out, &block{Type: d.kind, ID: wireName(d.id), Name: wireName(d.name), Input: d.input()})
		}
	}
	if !signed {
		return nil
	}
	data, err := json.Marshal(out)
	if err != nil {
		return nil // strings and checked JSON: this cannot fail
	}
	return &llm.Opaque{Origin: origin(a.request.Model), Data: data}
}

// input returns the arguments of a call, or {} if they are not an object.
func (d *draft) input() json.RawMessage {
	text := strings.TrimSpace(d.text.String())
	if !strings.HasPrefix(text, "{") {
		return json.RawMessage("{}")
	}
	if _, err := events.Canonical([]byte(text)); err != nil {
		return json.RawMessage("{}")
	}
	return json.RawMessage(text)
}
