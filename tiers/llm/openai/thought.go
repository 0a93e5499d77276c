package openai

import (
	"encoding/json"
	"slices"

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

// insist makes the thought one that is there, even if it says nothing.
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

// call is the call at a place; the zero value where the server said none.
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
	details            []detail
	size               int
}

// detail is an element of reasoning_details, as its server wrote it.
type detail map[string]json.RawMessage

// add takes the pieces that a delta brings; false when there is more of them
// than a reply can carry.
func (t *thoughts) add(content, reasoning string, details []detail) bool {
	t.size += len(content) + len(reasoning)
	t.content, t.reasoning = append(t.content, content...), append(t.reasoning, reasoning...)
	for _, d := range details {
		for key, value := range d {
			t.size += len(key) + len(value)
		}
		t.join(d)
	}
	return t.size <= llm.MaxRaw
}

// join puts a piece to the one of the same index and type before it: their
// texts follow each other, anything else replaces.
func (t *thoughts) join(piece detail) {
	at := slices.IndexFunc(t.details, func(d detail) bool {
		return piece["index"] != nil && string(d["index"]) == string(piece["index"]) && string(d["type"]) == string(piece["type"])
	})
	if at < 0 {
		t.details = append(t.details, piece)
		return
	}
	whole := t.details[at]
	for key, value := range piece {
		switch {
		case string(value) == "null":
		case slices.Contains([]string{"text", "summary", "data"}, key):
			whole[key] = appendText(whole[key], value)
		default:
			whole[key] = value
		}
	}
}

// appendText is the JSON text a with that of b behind it; b where a is none.
func appendText(a, b json.RawMessage) json.RawMessage {
	var before, more string
	if json.Unmarshal(a, &before) != nil || json.Unmarshal(b, &more) != nil {
		return b
	}
	joined, err := encode(before + more)
	if err != nil {
		return b
	}
	return joined
}

// whole is the thought; fields that never came stay away.
func (t *thoughts) whole() thought {
	var out thought
	if len(t.content) > 0 {
		s := string(t.content)
		out.ReasoningContent = &s
	}
	if len(t.reasoning) > 0 && len(t.details) == 0 { // details say the same, and more
		s := string(t.reasoning)
		out.Reasoning = &s
	}
	out.ReasoningDetails = t.details
	return out
}

// opaque is the reply for its server alone; nil where nothing must go back.
func (s Server) opaque(model string, calls []called, t thought) *llm.Opaque {
	if s.Back == BackNever || t.empty() {
		return nil
	}
	data, err := encode(said{ToolCalls: calls, thought: t})
	if err != nil {
		return nil
	}
	return &llm.Opaque{Origin: s.origin(model), Data: data}
}
