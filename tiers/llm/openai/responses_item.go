package openai

import (
	"encoding/json"

	"manualslop/tiers/llm"
)

// item is an item of a response, as the server sent it.
type item map[string]json.RawMessage

func (it item) text(member string) (s string) {
	_ = json.Unmarshal(it[member], &s) // a value that is not a string counts as empty
	return s
}

func (it item) is(kind string) bool { return it.text("type") == kind }

func (it item) set(member, text string) {
	if b, err := llm.PlainJSON(text); err == nil {
		it[member] = b
	}
}

func callsIn(items []item) int {
	n := 0
	for _, it := range items {
		if it.is("function_call") {
			n++
		}
	}
	return n
}

// said returns the joined texts of a message's parts of one type; member is the field that holds
// the text.
func (it item) said(kind, member string) string {
	var parts []map[string]json.RawMessage
	_ = json.Unmarshal(it["content"], &parts)
	text := ""
	for _, p := range parts {
		if part := item(p); part.is(kind) {
			text += part.text(member)
		}
	}
	return text
}

// kept returns the items that go back: messages, calls and encrypted reasoning. It removes ids,
// which the server would look up although it stores nothing, and reasoning that nothing follows,
// which it rejects.
func kept(items []item) []item {
	var out []item
	for _, it := range items {
		switch {
		case it.is("function_call"), it.is("reasoning") && it.text("encrypted_content") != "",
			it.is("message") && it.said("output_text", "text") != "":
			for _, member := range []string{"id", "status"} {
				delete(it, member)
			}
			out = append(out, it)
		}
	}
	for len(out) > 0 && out[len(out)-1].is("reasoning") {
		out = out[:len(out)-1]
	}
	return out
}

// responseOpaque returns the part of a reply that must go back verbatim; nil if its text and calls
// contain everything.
func (s Server) responseOpaque(model string, items []item) *llm.Opaque {
	if items = kept(items); len(items) == 0 {
		return nil
	}
	data, err := llm.PlainJSON(items)
	if err != nil {
		return nil // the items were read as JSON, so this cannot fail
	}
	return &llm.Opaque{Origin: s.responseOrigin(model), Data: data}
}
