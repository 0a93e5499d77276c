package llmtest

import (
	"fmt"
	"slices"

	"manualslop/events"
)

// responseID is the id of every response.
const responseID = "resp_llmtest"

// responsesStream is a response while its events are made.
type responsesStream struct {
	model string
	turn  Turn
	out   []string
	items []any
}

// responsesFrames is a whole response.
func responsesFrames(r responsesRequest, t Turn, u events.Usage) []string {
	s := &responsesStream{model: r.Model, turn: t}
	s.event("response.created", map[string]any{"response": s.response("in_progress", nil)})
	if t.Fault == UnknownEvents {
		s.event("response.notice", map[string]any{"notice": []int{1, 2}})
	}
	if t.Thinking != "" && slices.Contains(r.Include, "reasoning.encrypted_content") {
		s.item(map[string]any{"type": "reasoning", "id": "rs_llmtest", "summary": []any{}, "encrypted_content": t.Thinking +
			sign(r.Model, t.Thinking)})
	}
	switch {
	case t.Fault == Refusal:
		s.message(map[string]any{"type": "refusal", "refusal": "I cannot help with that."}, nil)
	case t.Text != "":
		s.message(map[string]any{"type": "output_text", "text": t.Text, "annotations": []any{}}, t.pieces(t.Text))
	}
	for i, c := range t.Calls {
		s.call(i, c)
	}
	s.end(u)
	return s.out
}

func (s *responsesStream) response(status string, usage any) map[string]any {
	out := map[string]any{"id": responseID, "object": "response", "created_at": 1700000000, "model": s.model,
		"status": status, "output": s.items}
	if s.items == nil {
		out["output"] = []any{}
	}
	if usage != nil {
		out["usage"] = usage
	}
	return out
}

func (s *responsesStream) event(name string, fields map[string]any) {
	fields["type"], fields["sequence_number"] = name, len(s.out)
	s.out = append(s.out, "event: "+name+"\n"+chatEvent(fields))
}

// item is an item that comes whole.
func (s *responsesStream) item(item map[string]any) {
	s.event("response.output_item.added", map[string]any{"output_index": len(s.items), "item": item})
	s.event("response.output_item.done", map[string]any{"output_index": len(s.items), "item": item})
	s.items = append(s.items, item)
}

// message is a message of one part, whose pieces come first.
func (s *responsesStream) message(part map[string]any, pieces []string) {
	at, id := len(s.items), fmt.Sprintf("msg_llmtest_%d", len(s.items))
	item := func(status string, content []any) map[string]any {
		return map[string]any{"type": "message", "id": id, "role": "assistant", "status": status, "content": content}
	}
	s.event("response.output_item.added", map[string]any{"output_index": at, "item": item("in_progress", []any{})})
	for _, piece := range pieces {
		s.event("response.output_text.delta", map[string]any{"output_index": at, "item_id": id, "content_index": 0,
			"delta": piece})
	}
	done := item("completed", []any{part})
	s.event("response.output_item.done", map[string]any{"output_index": at, "item": done})
	s.items = append(s.items, done)
}

// call is a call of a function.
func (s *responsesStream) call(i int, c Call) {
	at, id := len(s.items), fmt.Sprintf("fc_llmtest_%d", i)
	item := func(status, arguments string) map[string]any {
		return map[string]any{"type": "function_call", "id": id, "call_id": c.ID, "name": c.Name, "arguments": arguments,
			"status": status}
	}
	s.event("response.output_item.added", map[string]any{"output_index": at, "item": item("in_progress", "")})
	for _, piece := range s.turn.pieces(c.Args) {
		s.event("response.function_call_arguments.delta", map[string]any{"output_index": at, "item_id": id, "delta": piece})
	}
	status := "completed"
	if s.turn.Fault == CutInCall && i == len(s.turn.Calls)-1 {
		status = "incomplete"
	}
	done := item(status, c.Args)
	s.event("response.output_item.done", map[string]any{"output_index": at, "item": done})
	s.items = append(s.items, done)
}

// end is the event behind which nothing comes.
func (s *responsesStream) end(u events.Usage) {
	usage := map[string]any{
		"input_tokens": u.Prompt(), "input_tokens_details": map[string]any{"cached_tokens": u.CacheRead},
		"output_tokens": u.Output, "output_tokens_details": map[string]any{"reasoning_tokens": u.Thinking},
		"total_tokens": u.Prompt() + u.Output,
	}
	if s.turn.Fault == NoUsage {
		usage = nil
	}
	if s.turn.Fault == CutInCall || s.turn.cut {
		out := s.response("incomplete", usage)
		out["incomplete_details"] = map[string]any{"reason": "max_output_tokens"}
		s.event("response.incomplete", map[string]any{"response": out})
		return
	}
	s.event("response.completed", map[string]any{"response": s.response("completed", usage)})
}
