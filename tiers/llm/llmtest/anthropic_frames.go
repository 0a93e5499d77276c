package llmtest

import (
	"fmt"
	"strings"

	"manualslop/events"
)

func anthropicFrame(event string, data []byte) string {
	return "event: " + event + "\ndata: " + string(data) + "\n\n"
}

// anthropicReply writes one message as a sequence of events.
type anthropicReply struct {
	out   []string
	turn  Turn
	index int
}

func (w *anthropicReply) event(kind string, fields map[string]any) {
	fields["type"] = kind
	w.out = append(w.out, anthropicFrame(kind, mustJSON(fields)))
}

// block writes a complete block: start, deltas and stop.
func (w *anthropicReply) block(start map[string]any, deltas ...map[string]any) {
	w.event("content_block_start", map[string]any{"index": w.index, "content_block": start})
	w.deltas(deltas...)
	w.stop()
}

func (w *anthropicReply) deltas(deltas ...map[string]any) {
	for _, d := range deltas {
		w.event("content_block_delta", map[string]any{"index": w.index, "delta": d})
	}
}

func (w *anthropicReply) stop() {
	w.event("content_block_stop", map[string]any{"index": w.index})
	if w.turn.Fault != DuplicateIndex {
		w.index++
	}
}

// frames returns the reply to an accepted request. It stores the reply's thinking, so that it can
// check that it comes back.
func (a *anthropic) frames(v View, t Turn, u events.Usage) []string {
	if q, ok := v.wire.(*anthropicRequest); ok && q.textBehindResults() {
		t = Turn{Usage: t.Usage, Fault: t.Fault, At: t.At, Gate: t.Gate}
	}
	w := &anthropicReply{turn: t}
	start := map[string]any{"id": fmt.Sprintf("msg_%d", v.Number), "type": "message", "role": "assistant",
		"model": v.Model, "content": []any{}, "stop_reason": nil, "stop_sequence": nil}
	start["usage"] = anthropicUsage(t, u, 1)
	w.event("message_start", map[string]any{"message": start})
	w.event("ping", map[string]any{})
	a.thought(w, v, t)
	if t.Fault == UnknownEvents {
		w.event("content_block_hint", map[string]any{"index": 0, "hint": map[string]any{"deep": []int{1}}})
		w.deltas(map[string]any{"type": "shrug_delta", "shrug": 1})
	}
	w.say(t)
	w.call(t)
	if t.Fault == DuplicateIndex {
		w.index = 0
		w.event("content_block_start", map[string]any{"index": 0, "content_block": map[string]any{"type": "text",
			"text": ""}})
		w.event("content_block_start", map[string]any{"index": 0, "content_block": map[string]any{"type": "text",
			"text": ""}})
	}
	end := map[string]any{"delta": map[string]any{"stop_reason": anthropicStop(t), "stop_sequence": nil}}
	end["usage"] = anthropicUsage(t, u, u.Output)
	w.event("message_delta", end)
	w.event("message_stop", map[string]any{})
	return w.out
}

// thought writes signed thinking.
func (a *anthropic) thought(w *anthropicReply, v View, t Turn) {
	var blocks []string
	if t.Thinking != "" {
		signature := sign(v.Model, t.Thinking)
		if q, ok := v.wire.(*anthropicRequest); ok && anthropicBinds(v.Model) {
			signature += q.before(len(q.Messages), 0)
		}
		var deltas []map[string]any
		for _, p := range t.pieces(t.Thinking) {
			deltas = append(deltas, map[string]any{"type": "thinking_delta", "thinking": p})
		}
		deltas = append(deltas, map[string]any{"type": "signature_delta", "signature": signature})
		w.block(map[string]any{"type": "thinking", "thinking": "", "signature": ""}, deltas...)
		blocks = append(blocks, string(mustJSON(map[string]any{"type": "thinking", "thinking": t.Thinking,
			"signature": signature})))
	}
	if t.Redacted != "" {
		block := map[string]any{"type": "redacted_thinking", "data": t.Redacted + sign(v.Model, t.Redacted)}
		w.block(block)
		blocks = append(blocks, string(mustJSON(block)))
	}
	for _, c := range t.Calls {
		a.remember(v.Model+" "+c.ID, blocks)
	}
}

func (w *anthropicReply) say(t Turn) {
	if t.Text == "" {
		return
	}
	var deltas []map[string]any
	for _, p := range t.pieces(t.Text) {
		deltas = append(deltas, map[string]any{"type": "text_delta", "text": p})
	}
	w.block(map[string]any{"type": "text", "text": ""}, deltas...)
}

func (w *anthropicReply) call(t Turn) {
	for i, c := range t.Calls {
		deltas := []map[string]any{{"type": "input_json_delta", "partial_json": ""}}
		for _, p := range t.pieces(c.Args) {
			deltas = append(deltas, map[string]any{"type": "input_json_delta", "partial_json": p})
		}
		w.event("content_block_start", map[string]any{"index": w.index, "content_block": map[string]any{"type": "tool_use",
			"id": c.ID, "name": c.Name, "input": map[string]any{}}})
		w.deltas(deltas...)
		if t.Fault == CutInCall && i == len(t.Calls)-1 {
			continue // the vendor may also close a block that was cut off, but need not
		}
		w.stop()
	}
}

func anthropicStop(t Turn) string {
	switch {
	case t.Stop != "":
		return t.Stop
	case t.Fault == Refusal:
		return "refusal"
	case t.Fault == CutInCall, t.cut:
		return "max_tokens"
	case len(t.Calls) > 0:
		return "tool_use"
	}
	return "end_turn"
}

func anthropicUsage(t Turn, u events.Usage, output int64) map[string]any {
	if t.Fault == NoUsage {
		return nil
	}
	return map[string]any{
		"input_tokens": u.Input, "output_tokens": output, "cache_read_input_tokens": u.CacheRead,
		"cache_creation_input_tokens": u.CacheWrite,
		"cache_creation": map[string]any{"ephemeral_5m_input_tokens": u.CacheWrite - u.CacheWriteHour,
			"ephemeral_1h_input_tokens": u.CacheWriteHour},
		"output_tokens_details": map[string]any{"thinking_tokens": u.Thinking},
		"service_tier":          "standard",
	}
}

func (*anthropic) ends(frame string) bool { return strings.HasPrefix(frame, "event: message_stop\n") }
