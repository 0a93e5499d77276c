package llmtest

import (
	"encoding/json"

	"manualslop/events"
)

// chatStream builds the events of a completion.
type chatStream struct {
	flavour Flavour
	request chatRequest
	turn    Turn
	out     []string
}

// chatFrames returns the events of a complete completion.
func (f Flavour) chatFrames(r chatRequest, t Turn, u events.Usage) []string {
	s := &chatStream{flavour: f, request: r, turn: t}
	if t.Fault == DuplicateIndex && len(t.Calls) < 2 {
		s.turn.Calls = []Call{{"call_a", "read_file", `{"path":"a"}`}, {"call_b", "read_file", `{"path":"b"}`}}
	}
	if f.AsksForParallel && !r.Parallel && len(s.turn.Calls) > 1 {
		s.turn.Calls = s.turn.Calls[:1]
	}
	s.delta(map[string]any{"role": "assistant", "content": ""}, "")
	if t.Fault == UnknownEvents {
		s.out = append(s.out, "event: ping\ndata: {\"type\":\"ping\"}\n\n",
			"event: notice\nid: 7\nretry: 5\ndata: {\"notice\":[1,2]}\n\n")
	}
	s.think()
	if t.Fault == Refusal && f.KnownFieldsOnly {
		s.delta(map[string]any{"refusal": "I cannot help with that."}, "")
	}
	for _, piece := range t.pieces(t.Text) {
		s.delta(map[string]any{"content": piece}, "")
	}
	for i, c := range s.turn.Calls {
		s.call(i, c)
	}
	s.end(u)
	return s.out
}

func (s *chatStream) chunk(choices []any, more map[string]any) {
	c := map[string]any{"id": "chatcmpl-llmtest", "object": "chat.completion.chunk", "created": 1700000000,
		"model": s.request.Model, "choices": choices}
	for key, value := range more {
		c[key] = value
	}
	frame := chatEvent(c)
	if s.flavour.Comments {
		frame = ": PROCESSING\n\n" + frame
	}
	s.out = append(s.out, frame)
}

func (s *chatStream) delta(d map[string]any, finish string) {
	choice := map[string]any{"index": 0, "delta": d, "finish_reason": nil}
	if finish != "" {
		choice["finish_reason"] = finish
	}
	s.chunk([]any{choice}, nil)
}

// think writes the reasoning in the flavour's field.
func (s *chatStream) think() {
	field := s.flavour.Reasoning
	if field == "" || s.turn.Thinking == "" {
		return
	}
	if s.flavour.SplitsWhenAsked && !s.request.Split {
		s.delta(map[string]any{"content": "<think>" + s.turn.Thinking + "</think>"}, "")
		return
	}
	for _, piece := range s.turn.pieces(s.turn.Thinking) {
		if field == "reasoning_details" {
			s.delta(map[string]any{"reasoning": piece, field: []any{map[string]any{"type": "reasoning.text", "index": 0,
				"text": piece, "format": "unknown"}}}, "")
			continue
		}
		s.delta(map[string]any{"content": nil, field: piece}, "")
	}
	if field == "reasoning_details" {
		s.delta(map[string]any{field: []any{map[string]any{"type": "reasoning.text", "index": 0, "signature": "c2lnbmVk"}}},
			"")
	}
}

// call writes a call, complete or in pieces.
func (s *chatStream) call(i int, c Call) {
	if s.turn.Fault == DuplicateIndex {
		i = 0
	}
	if s.flavour.ObjectCalls && json.Valid([]byte(c.Args)) {
		s.delta(map[string]any{"tool_calls": []any{map[string]any{
			"index": 0, "id": c.ID, "type": "function", "function": map[string]any{"name": c.Name,
				"arguments": json.RawMessage(c.Args)},
		}}}, "")
		return
	}
	s.delta(map[string]any{"tool_calls": []any{map[string]any{
		"index": i, "id": c.ID, "type": "function", "function": map[string]any{"name": c.Name, "arguments": ""},
	}}}, "")
	for _, piece := range s.turn.pieces(c.Args) {
		s.delta(map[string]any{"tool_calls": []any{map[string]any{"index": i, "function": map[string]any{
			"arguments": piece}}}}, "")
	}
}

// end writes the finish reason, the usage and the closing line.
func (s *chatStream) end(u events.Usage) {
	reason := "stop"
	switch {
	case s.turn.Stop != "":
		reason = s.turn.Stop
	case s.turn.Fault == CutInCall, s.turn.cut:
		reason = "length"
	case s.turn.Fault == Refusal && !s.flavour.KnownFieldsOnly:
		reason = "content_filter"
	case len(s.turn.Calls) > 0 && !s.flavour.StopsWithCalls:
		reason = "tool_calls"
	}
	s.delta(map[string]any{}, reason)
	if s.request.StreamOptions != nil && s.request.StreamOptions.IncludeUsage && s.turn.Fault != NoUsage {
		s.chunk([]any{}, map[string]any{"usage": s.flavour.usage(u)})
	}
	s.out = append(s.out, "data: [DONE]\n\n")
}

// usage returns u as the flavour counts it: prompt tokens include cached tokens.
func (f Flavour) usage(u events.Usage) map[string]any {
	out := map[string]any{
		"prompt_tokens": u.Prompt(), "completion_tokens": u.Output, "total_tokens": u.Prompt() + u.Output,
		"completion_tokens_details": map[string]any{"reasoning_tokens": u.Thinking},
	}
	if f.ThoughtsBeside {
		out["completion_tokens"] = u.Output - u.Thinking
	}
	if f.HitAndMiss {
		out["prompt_cache_hit_tokens"], out["prompt_cache_miss_tokens"] = u.CacheRead, u.Input
		return out
	}
	out["prompt_tokens_details"] = map[string]any{"cached_tokens": u.CacheRead, "cache_write_tokens": u.CacheWrite}
	if u.CostMicroDollars != nil {
		out["cost"] = float64(*u.CostMicroDollars) / 1e6
	}
	return out
}
