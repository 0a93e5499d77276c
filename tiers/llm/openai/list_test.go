package openai_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/openai"
)

func TestTheListOfModelsNeedsTheKey(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer sk-right-right" || r.URL.Path != "/v1/models" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = w.Write([]byte(`{"object":"list","data":[{"id":"gpt-5"},{"id":"o3"}]}`))
	}))
	t.Cleanup(server.Close)
	ask := func(key string) ([]llm.ModelInfo, error) {
		return openai.Provider{Server: openai.Server{Name: "openai"}, Endpoint: llm.Endpoint{BaseURL: server.URL + "/v1", Key: key}}.Models(t.Context())
	}
	models, err := ask("sk-right-right")
	require.NoError(t, err)
	require.Equal(t, []llm.ModelInfo{{ID: "gpt-5"}, {ID: "o3"}}, models)
	_, err = ask("sk-wrong-wrong")
	require.Equal(t, events.ModelAuth, llm.AsError(err).Kind)
	require.NotContains(t, err.Error(), "sk-wrong")
}
