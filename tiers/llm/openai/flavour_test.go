package openai_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/llmtest"
	"manualslop/tiers/llm/openai"
)

func TestEveryServerOfTheTableTakesAWholeToolLoop(t *testing.T) {
	t.Parallel()
	for _, server := range openai.Servers() {
		t.Run(server.Name, func(t *testing.T) {
			t.Parallel()
			usage := &events.Usage{Input: 300, CacheRead: 1024, Output: 40, Thinking: 10}
			s, p := start(t, server.Name,
				llmtest.Turn{Thinking: "Let me see.", Calls: []llmtest.Call{{Name: "read_file", Args: `{"path": "a"}`},
					{Name: "read_file", Args: `{"path": "b"}`}}, Usage: usage},
				llmtest.Turn{Text: "Both read."},
			)
			r := asking(user("Read a and b."))
			r.Params = events.ModelParams{MaxOutputTokens: 500}
			first, err := ask(t, p, r)
			require.NoError(t, err)
			require.Len(t, first.Calls, 2)
			require.Equal(t, llm.FinishToolCalls, first.Finish)
			require.JSONEq(t, `{"path":"b"}`, string(first.Calls[1].Args))
			require.Equal(t, *usage, first.Usage)

			second, err := ask(t, p, then(t, r, "01J", first))
			require.NoError(t, err)
			require.Equal(t, "Both read.", second.Text)
			require.Empty(t, s.Refused())
			require.Equal(t, llmtest.Flavours()[server.Name].ThoughtsBack, s.Requests()[1].Messages[1].Opaque)
		})
	}
}
