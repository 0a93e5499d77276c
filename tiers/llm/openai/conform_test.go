package openai_test

import (
	"testing"
	"time"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/llmtest"
	"manualslop/tiers/llm/openai"
)

// TestServersConform runs the whole suite on every server of the table.
func TestServersConform(t *testing.T) {
	t.Parallel()
	for _, server := range openai.Servers() {
		t.Run(server.Name, func(t *testing.T) {
			t.Parallel()
			llmtest.Conform(t, func(t *testing.T) llmtest.Fixture { return fixture(t, server) })
		})
	}
}

func fixture(t *testing.T, server openai.Server) llmtest.Fixture {
	t.Helper()
	return llmtest.Fixture{
		Start: func(t testing.TB, o llmtest.Options) *llmtest.Server {
			o.Models = []string{model, "other-model"}
			return llmtest.OpenAI(t, server.Name, o)
		},
		Provider: func(e llm.Endpoint, silence time.Duration) llm.Provider {
			return openai.Provider{Server: server, Endpoint: e, Silence: silence}
		},
		Model: model, Other: "other-model", Thinks: llmtest.Flavours()[server.Name].ThoughtsBack,
		Usage: events.Usage{Input: 700, CacheRead: 1280, Output: 90, Thinking: 30},
	}
}
