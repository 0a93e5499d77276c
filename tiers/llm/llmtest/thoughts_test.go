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
		return llmtest.Turn{Thinking: "Hmm.", Redacted: "secret", Calls: []llmtest.Call{{ID: "a", Name: "read_file", Args: `{}`}}}
	}})
	q := valid()
	q["thinking"] = object{"type": "enabled", "budget_tokens": 1024}
	messages(q)
	code, body := post(t, s, q)
	require.Equal(t, 200, code, body)
	var signature, data string
	for _, line := range strings.Split(body, "\n") {
		var e struct {
			Delta   struct{ Signature string }
			Content struct{ Data string } `json:"content_block"`
		}
		if json.Unmarshal([]byte(strings.TrimPrefix(line, "data: ")), &e) == nil {
			signature, data = signature+e.Delta.Signature, data+e.Content.Data
		}
	}
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
