package openai_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tiers/llm"
	"manualslop/tiers/llm/llmtest"
)

// TestWhatWasSentIsReadFromTheCache holds ten rounds with a new refresh block
// each to the goal: from the third on, 95 % of what the request before it had
// beside its refresh block is read from the cache.
func TestWhatWasSentIsReadFromTheCache(t *testing.T) {
	t.Parallel()
	for _, flavour := range []string{"openai", "deepseek", "openrouter"} {
		t.Run(flavour, func(t *testing.T) {
			t.Parallel()
			s := llmtest.OpenAI(t, flavour, llmtest.Options{Answer: func(v llmtest.View) llmtest.Turn {
				return llmtest.Turn{Thinking: "Step by step.", Text: "I look.",
					Calls: []llmtest.Call{{ID: "call_same", Name: "read_file", Args: fmt.Sprintf(`{"path": "f%d"}`, v.Number)}}}
			}})
			p := at(t, s, flavour)
			r := asking(user(strings.Repeat("The plan. ", 1500)))
			var before int64
			for round := range 10 {
				asked := withRefresh(r, fmt.Sprintf("[SYSTEM: FILES UPDATED]\nf%d: changed again\n", round))
				reply, err := ask(t, p, asked)
				require.NoError(t, err)
				if round >= 2 {
					require.GreaterOrEqual(t, reply.Usage.CacheRead*100, before*95, "round %d", round)
				}
				before = reply.Usage.Prompt() - 20
				r = then(t, r, fmt.Sprintf("01ROUND%d", round), reply)
			}
			require.Empty(t, s.Refused())
		})
	}
}

// withRefresh is r with a refresh block at its end.
func withRefresh(r llm.Request, block string) llm.Request {
	last := r.Messages[len(r.Messages)-1]
	last.Blocks = append(append([]llm.Block{}, last.Blocks...), llm.Text(block))
	r.Messages = append(append([]llm.Message{}, r.Messages[:len(r.Messages)-1]...), last)
	return r
}
