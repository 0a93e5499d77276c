package openai

import (
	"manualslop/tiers/llm"
)

// thought is what a model thought, under the names by which servers tell it.
type thought struct {
	ReasoningContent *string  `json:"reasoning_content,omitempty"`
	Reasoning        *string  `json:"reasoning,omitempty"`
	ReasoningDetails []detail `json:"reasoning_details,omitempty"`
}

func (t thought) empty() bool {
	return t.ReasoningContent == nil && t.Reasoning == nil && len(t.ReasoningDetails) == 0
}

// insist makes the thought one that exists, even if it says nothing.
func (t *thought) insist() {
	if t.ReasoningContent == nil {
		t.ReasoningContent = new(string)
	}
}

// said is what goes back to the server of a reply beside its text: its calls
// and its thought, as the server said them.
type said struct {
	ToolCalls []called `json:"tool_calls,omitempty"`
	thought
}

// call returns the call at a place; the zero value where the server said none.
func (s said) call(i int) called {
	if i >= len(s.ToolCalls) {
		return called{}
	}
	return s.ToolCalls[i]
}

// origin names this server and a model, which alone get their thoughts back.
func (s Server) origin(model string) string { return s.Name + ":" + model }

// thoughts collects the pieces of a thought.
type thoughts struct {
	content, reasoning []byte
	details            details
	size               int
}

// add takes the pieces that a delta brings; false when there is more of them
// than a reply can carry.
func (t *thoughts) add(content, reasoning string, pieces []detail) bool {
	t.size += len(content) + len(reasoning)
	t.content, t.reasoning = append(t.content, content...), append(t.reasoning, reasoning...)
	for _, d := range pieces {
		for key, value := range d {
			t.size += len(key) + len(value)
		}
		t.details.add(d)
	}
	return t.size <= llm.MaxRaw && len(t.details.list) <= maxDetails
}

// whole returns the thought; fields that never came stay away.
func (t *thoughts) whole() thought {
	var out thought
	if len(t.content) > 0 {
		s := string(t.content)
		out.ReasoningContent = &s
	}
	if len(t.reasoning) > 0 && len(t.details.list) == 0 { // details say the same, and more
		s := string(t.reasoning)
		out.Reasoning = &s
	}
	out.ReasoningDetails = t.details.whole()
	return out
}

// opaque returns the reply for its server alone; nil if nothing must go back.
func (s Server) opaque(model string, calls []called, t thought) *llm.Opaque {
	if s.Back == BackNever || t.empty() {
		return nil
	}
	data, err := llm.PlainJSON(said{ToolCalls: calls, thought: t})
	if err != nil {
		return nil
	}
	return &llm.Opaque{Origin: s.origin(model), Data: data}
}
