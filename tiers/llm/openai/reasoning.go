package openai

import (
	"manualslop/tiers/llm"
)

// thought is a model's reasoning, in the fields in which servers return it.
type thought struct {
	ReasoningContent *string  `json:"reasoning_content,omitempty"`
	Reasoning        *string  `json:"reasoning,omitempty"`
	ReasoningDetails []detail `json:"reasoning_details,omitempty"`
}

func (t thought) empty() bool {
	return t.ReasoningContent == nil && t.Reasoning == nil && len(t.ReasoningDetails) == 0
}

// insist sets reasoning_content, to an empty text if there is none.
func (t *thought) insist() {
	if t.ReasoningContent == nil {
		t.ReasoningContent = new(string)
	}
}

// said is the part of a reply that goes back to its server verbatim: its calls and its reasoning.
type said struct {
	ToolCalls []called `json:"tool_calls,omitempty"`
	thought
}

// call returns the call at an index; the zero value if the server sent none.
func (s said) call(i int) called {
	if i >= len(s.ToolCalls) {
		return called{}
	}
	return s.ToolCalls[i]
}

// origin identifies this server and a model, to which alone their reasoning goes back.
func (s Server) origin(model string) string { return s.Name + ":" + model }

// thoughts collects the pieces of reasoning.
type thoughts struct {
	content, reasoning []byte
	details            details
	size               int
}

// add adds the pieces in a delta. It returns false if they exceed the limit of a reply.
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

// whole returns the complete reasoning. Fields that never arrived are left out.
func (t *thoughts) whole() thought {
	var out thought
	if len(t.content) > 0 {
		s := string(t.content)
		out.ReasoningContent = &s
	}
	if len(t.reasoning) > 0 && len(t.details.list) == 0 { // the details contain the same text and more
		s := string(t.reasoning)
		out.Reasoning = &s
	}
	out.ReasoningDetails = t.details.whole()
	return out
}

// opaque returns the data that goes back to this server only; nil if there is none.
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
