package anthropic_test

import (
	"testing"
	"time"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/anthropic"
	"manualslop/tiers/llm/llmtest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	for _, model := range []string{"claude-sonnet-4-6", "claude-opus-5-5"} {
		t.Run(model, func(t *testing.T) {
			t.Parallel()
			llmtest.Conform(t, func(*testing.T) llmtest.Fixture {
				return llmtest.Fixture{
					Start: llmtest.Anthropic,
					Provider: func(e llm.Endpoint, silence time.Duration) llm.Provider {
						return anthropic.Provider{Endpoint: e, Silence: silence}
					},
					Model: model, Other: "claude-sonnet-4-5", Thinks: true,
					Usage: events.Usage{Input: 100, Output: 20, CacheRead: 30, CacheWrite: 40, CacheWriteHour: 10, Thinking: 5},
				}
			})
		})
	}
}
