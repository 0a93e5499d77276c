package openai_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

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

// TestResponsesConform runs the whole suite on models of the Responses wire.
func TestResponsesConform(t *testing.T) {
	t.Parallel()
	server, ok := openai.Find("openai")
	require.True(t, ok)
	llmtest.Conform(t, func(t *testing.T) llmtest.Fixture {
		f := fixture(t, server)
		f.Model, f.Other, f.Thinks = "gpt-5.6", "gpt-5.5", true
		f.Start = func(t testing.TB, o llmtest.Options) *llmtest.Server {
			o.Models = []string{f.Model, f.Other}
			return llmtest.OpenAI(t, server.Name, o)
		}
		return f
	})
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
