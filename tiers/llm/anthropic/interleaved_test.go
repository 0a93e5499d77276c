package anthropic_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/anthropic"
	"manualslop/tiers/llm/llmtest"
)

// noting keeps the beta header of each request.
type noting struct{ betas []string }

func (n *noting) RoundTrip(r *http.Request) (*http.Response, error) {
	n.betas = append(n.betas, r.Header.Get("Anthropic-Beta"))
	return http.DefaultTransport.RoundTrip(r)
}

func TestBetasFollowTheModel(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ model, effort, want string }{
		{"claude-sonnet-4-5", "high", "interleaved-thinking-2025-05-14"},
		{"claude-sonnet-4-5", "", ""},
		{"claude-sonnet-4-5", "off", ""},
		{"claude-sonnet-4-6", "high", ""},
		{"claude-opus-5", "high", ""},
		{"claude-opus-5-5", "high", "thinking-binding-controls-2026-08-01"},
		{"claude-opus-5-5", "off", "thinking-binding-controls-2026-08-01"},
	} {
		server := llmtest.Anthropic(t, llmtest.Options{Models: []string{c.model}, Turns: []llmtest.Turn{{Text: "ok"}}})
		seen, endpoint := &noting{}, server.Endpoint()
		endpoint.Client = &http.Client{Transport: seen}
		_, err := llm.Collect(anthropic.Provider{Endpoint: endpoint}.Stream(t.Context(), llm.Request{Model: c.model,
			Params: events.ModelParams{Effort: c.effort}, Messages: []llm.Message{says(llm.RoleUser, llm.Text("Go."))}}), nil)
		require.NoError(t, err)
		require.Equal(t, []string{c.want}, seen.betas, c.model+" "+c.effort)
	}
}

func TestBetasOfTheConfigurationStandBesideThatOfTheModel(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"anthropic-beta", "Anthropic-Beta"} {
		server := llmtest.Anthropic(t, llmtest.Options{Models: []string{"claude-opus-5-5"},
			Turns: []llmtest.Turn{{Text: "ok"}}})
		seen, endpoint := &noting{}, server.Endpoint()
		endpoint.Client, endpoint.Headers = &http.Client{Transport: seen}, map[string]string{name: "context-1m-2025-08-07"}
		_, err := llm.Collect(anthropic.Provider{Endpoint: endpoint}.Stream(t.Context(), llm.Request{Model: "claude-opus-5-5",
			Messages: []llm.Message{says(llm.RoleUser, llm.Text("Go."))}}), nil)
		require.NoError(t, err)
		require.Equal(t, []string{"thinking-binding-controls-2026-08-01,context-1m-2025-08-07"}, seen.betas)
	}
}
