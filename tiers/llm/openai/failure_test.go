package openai_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/openai"
)

func TestErrorsOfServersHaveTheirKind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		status int
		body   string
		kind   string
	}{
		{400, `{"error":{"message":"too many tokens","type":"invalid_request_error","code":"context_length_exceeded"}}`,
			events.ModelContextTooLong},
		{400, `{"error":{"message":"This model's maximum context length is 65536 tokens.","type":"invalid_request_error","code":"invalid_request_error"}}`, events.ModelContextTooLong},
		{400, `{"object":"error","message":"This model's maximum context length is 4096 tokens.","type":"BadRequestError","code":400}`, events.ModelContextTooLong},
		{400, `{"code":"Client specified an invalid argument","error":"This model's maximum prompt length is 131072 but the request contains 200000 tokens."}`, events.ModelContextTooLong},
		{400, `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error"}}`, events.ModelContextTooLong},
		{400, `{"error":{"message":"<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 98304]","code":"invalid_parameter_error"}}`, events.ModelContextTooLong},
		{400, `{"error":{"message":"Unsupported parameter","type":"invalid_request_error","code":"unsupported_parameter"}}`,
			events.ModelInvalidRequest},
		{400, `{"error":{"message":"inappropriate","code":"data_inspection_failed"}}`, events.ModelRefused},
		{401, `{"error":{"message":"Incorrect API key provided: key-0123456789.","code":"invalid_api_key"}}`,
			events.ModelAuth},
		{402, `{"error":{"message":"Insufficient Balance"}}`, events.ModelAuth},
		{403, `{"error":{"message":"flagged","code":"content_policy_violation"}}`, events.ModelRefused},
		{404, `{"error":{"message":"model not found, try pulling it first"}}`, events.ModelInvalidRequest},
		{422, `{"detail":"field required"}`, events.ModelInvalidRequest},
		{429, `{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}`, events.ModelAuth},
		{429, `{"error":{"message":"Rate limit reached: the maximum context length in flight","code":"rate_limit_exceeded"}}`,
			events.ModelRateLimited},
		{503, `{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}`, events.ModelOverloaded},
		{500, `<html>`, events.ModelOverloaded},
	} {
		calls := 0
		h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			calls++
			w.WriteHeader(c.status)
			_, _ = io.WriteString(w, c.body)
		}))
		p := openai.Provider{Server: openai.Generic("own"), Endpoint: llm.Endpoint{BaseURL: h.URL, Key: "key-0123456789"}}
		_, err := ask(t, p, asking(user("Go.")))
		h.Close()
		require.Equal(t, c.kind, llm.AsError(err).Kind, c.body)
		require.NotContains(t, err.Error(), "key-0123456789")
		require.Equal(t, 1, calls, "nothing is retried")
	}
}

// TestNothingComesFromTheEnvironment sets every variable that the vendor's
// library reads. It cannot run beside others.
func TestNothingComesFromTheEnvironment(t *testing.T) {
	for _, name := range []string{"OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID",
		"OPENAI_WEBHOOK_SECRET", "OPENAI_BASE_URL"} {
		t.Setenv(name, "from-the-environment")
	}
	t.Setenv("OPENAI_CUSTOM_HEADERS", "X-Custom: from-the-environment")
	var seen http.Header
	var path string
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen, path = r.Header.Clone(), r.URL.Path
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: "+stop+"\n\n")
	}))
	defer h.Close()
	_, err := ask(t, openai.Provider{Server: find(t, "llama"), Endpoint: llm.Endpoint{BaseURL: h.URL + "/v1"}},
		asking(user("Go.")))
	require.NoError(t, err)
	require.Equal(t, "/v1/chat/completions", path)
	require.Equal(t, "text/event-stream", seen.Get("Accept"))
	require.Empty(t, seen.Get("Authorization"))
	for name, values := range seen {
		require.NotContains(t, values, "from-the-environment", name)
	}
}
