package llmtest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tiers/llm/llmtest"
)

// TestWhatWasThoughtMustComeBackAsItWas changes, moves and drops the blocks
// that a reply brought before its call.
func TestWhatWasThoughtMustComeBackAsItWas(t *testing.T) {
	t.Parallel()
	s := llmtest.Anthropic(t, llmtest.Options{Answer: func(llmtest.View) llmtest.Turn {
		return llmtest.Turn{Thinking: "Hmm.", Redacted: "secret", Calls: []llmtest.Call{{ID: "a", Name: "read_file",
			Args: `{}`}}}
	}})
	q := valid()
	q["thinking"] = object{"type": "enabled", "budget_tokens": 1024}
	messages(q)
	code, body := post(t, s, q)
	require.Equal(t, 200, code, body)
	signature, data := signed(body)
	thought := func(words string) object {
		return object{"type": "thinking", "thinking": words, "signature": signature}
	}
	secret := object{"type": "redacted_thinking", "data": data}
	for name, c := range map[string]struct {
		code   int
		blocks []any
	}{
		"as it was":          {200, []any{thought("Hmm."), secret, use("a")}},
		"changed":            {400, []any{thought("Hm."), secret, use("a")}},
		"in another order":   {400, []any{secret, thought("Hmm."), use("a")}},
		"behind other words": {400, []any{text("I look."), thought("Hmm."), secret, use("a")}},
		"one of two":         {400, []any{thought("Hmm."), use("a")}},
		"none":               {400, []any{use("a")}},
		"none, another's id": {400, []any{use("b")}},
	} {
		answered := valid()
		answered["thinking"] = q["thinking"]
		id, _ := c.blocks[len(c.blocks)-1].(object)["id"].(string)
		messages(answered, said("assistant", c.blocks...), said("user", result(id)))
		code, body := post(t, s, answered)
		require.Equal(t, c.code, code, "%s: %s", name, body)
	}
}

// signed is the signature of a reply's thought, and what it thought in secret.
func signed(body string) (signature, data string) {
	for _, line := range strings.Split(body, "\n") {
		var e struct {
			Delta   struct{ Signature string }
			Content struct{ Data string } `json:"content_block"`
		}
		if json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &e) == nil {
			signature, data = signature+e.Delta.Signature, data+e.Content.Data
		}
	}
	return signature, data
}

// TestAThoughtIsBoundToTheConversationBeforeIt changes what stands before a thought
// of a model that binds it.
func TestAThoughtIsBoundToTheConversationBeforeIt(t *testing.T) {
	t.Parallel()
	s := llmtest.Anthropic(t, llmtest.Options{Turns: []llmtest.Turn{
		{Thinking: "Hmm.", Calls: []llmtest.Call{{ID: "a", Name: "read_file", Args: `{}`}}}, {Text: "Done."}, {Text: "Done."},
	}})
	q := valid()
	q["model"] = "claude-opus-5-5"
	messages(q)
	code, body := post(t, s, q)
	require.Equal(t, 200, code, body)
	signature, _ := signed(body)
	messages(q, said("assistant", object{"type": "thinking", "thinking": "Hmm.", "signature": signature}, use("a")),
		said("user", result("a")))
	code, body = post(t, s, q)
	require.Equal(t, 200, code, body)
	q["system"] = []any{marked("5m")}
	code, body = post(t, s, q)
	require.Equal(t, 400, code)
	require.Contains(t, body, "bound to a different conversation")
	q["thinking"] = object{"type": "adaptive", "block_binding": object{"prefix_mismatch_behavior": "drop_block"}}
	code, body = post(t, s, q, "Anthropic-Beta", "thinking-binding-controls-2026-08-01")
	require.Equal(t, 200, code, body)
	q["thinking"] = object{"type": "adaptive", "block_binding": object{"prefix_mismatch_behavior": "keep"}}
	code, _ = post(t, s, q, "Anthropic-Beta", "thinking-binding-controls-2026-08-01")
	require.Equal(t, 400, code)
}
