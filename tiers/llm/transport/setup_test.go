package transport_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tiers/llm"
	"manualslop/tiers/llm/transport"
)

const key = "sk-secret/key+1"

// ask makes one attempt at a server that answers with h, and reads it to its end.
func ask(t *testing.T, o transport.Options, h http.HandlerFunc) (string, *llm.Error) {
	t.Helper()
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return attempt(t, transport.Begin(llm.Endpoint{Key: key, Headers: map[string]string{
		"X-Gate": "Bearer gatekeeper-token"}}, o), server.URL)
}

func attempt(t *testing.T, c *transport.Call, url string) (string, *llm.Error) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader("{}"))
	require.NoError(t, err)
	resp, err := c.Client().Do(req)
	if err != nil {
		return "", c.Error(t.Context(), err, nil)
	}
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, resp.Body.Close())
	return string(body), c.Error(t.Context(), err, nil)
}

// says is a handler that answers with one body.
func says(code int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
	}
}

var eventStream = []string{"Content-Type", "text/event-stream; charset=utf-8"}
