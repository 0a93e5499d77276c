package openai_test

import (
	"testing"
	"time"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/llmtest"
	"manualslop/tiers/llm/openai"
)

// thorough are the servers that run the whole suite: one of each kind of
// oddity. The others differ from them in names alone.
func thorough() []string { return []string{"openai", "deepseek", "llama", "openrouter"} }

func TestServersConform(t *testing.T) {
	t.Parallel()
	for _, flavour := range thorough() {
		t.Run(flavour, func(t *testing.T) {
			t.Parallel()
			llmtest.Conform(t, func(t *testing.T) llmtest.Fixture { return fixture(t, flavour) })
		})
	}
}

func fixture(t *testing.T, flavour string) llmtest.Fixture {
	t.Helper()
	server, _ := openai.Find(flavour)
	return llmtest.Fixture{
		Start: func(t testing.TB, o llmtest.Options) *llmtest.Server {
			o.Models = []string{model, "other-model"}
			return llmtest.OpenAI(t, flavour, o)
		},
		Provider: func(e llm.Endpoint, silence time.Duration) llm.Provider {
			return openai.Provider{Server: server, Endpoint: e, Silence: silence}
		},
		Model: model, Other: "other-model", Thinks: server.Back != openai.BackNever,
		Usage: events.Usage{Input: 700, CacheRead: 1280, Output: 90, Thinking: 30},
	}
}
