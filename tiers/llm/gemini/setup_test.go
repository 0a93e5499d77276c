package gemini_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/gemini"
)

const model = "gemini-3-pro-preview"

// asking is a request with one round of two calls behind it.
func asking(model string, raw *llm.Opaque) llm.Request {
	reply := llm.Message{Role: llm.RoleAssistant}
	if raw != nil {
		reply.Blocks = append(reply.Blocks, *raw)
	}
	reply.Blocks = append(reply.Blocks, llm.Text("I look."), llm.Call{ID: "r-0", Name: "read_file",
		Args: json.RawMessage(`{"path":"a<b"}`)},
		llm.Call{ID: "r-1", Name: "read_file", Args: json.RawMessage(`{"path":"b"}`)})
	return llm.Request{Model: model, Messages: []llm.Message{
		{Role: llm.RoleSystem, Blocks: []llm.Block{llm.Text("You are.")}},
		{Role: llm.RoleUser, Blocks: []llm.Block{llm.Text("# Ticket"), llm.Text("## View")}},
		reply,
		{Role: llm.RoleTool, Blocks: []llm.Block{
			llm.Result{Call: "r-0", Name: "read_file", Text: "one"}, llm.Result{Call: "r-1", Name: "read_file", Text: "no file",
				Failed: true},
			llm.Text("[SYSTEM: FILES UPDATED]\na: changed"),
		}},
	}, Tools: []llm.Tool{{Name: "read_file", Description: "Reads.", Schema: json.RawMessage(`{"type":"object"}`)}}}
}

// bodyOf is the JSON that a request is sent as.
func bodyOf(t *testing.T, r llm.Request) map[string]any {
	t.Helper()
	b, err := gemini.Provider{}.Body(r)
	require.NoError(t, err)
	var out map[string]any
	require.NoError(t, json.Unmarshal(b, &out))
	return out
}

// at walks into JSON by keys and indexes.
func at(t *testing.T, v any, path ...any) any {
	t.Helper()
	for _, p := range path {
		switch p := p.(type) {
		case string:
			m, ok := v.(map[string]any)
			require.True(t, ok, "%v is no object", v)
			v = m[p]
		case int:
			l, ok := v.([]any)
			require.True(t, ok && p < len(l), "%v has no element %d", v, p)
			v = l[p]
		}
	}
	return v
}

// answering is a provider whose server answers with this stream, and the bodies
// that it was sent.
func answering(t *testing.T, status int, stream string) (gemini.Provider, *[]string) {
	t.Helper()
	var bodies []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b, err := io.ReadAll(r.Body)
		if err == nil {
			bodies = append(bodies, r.Method+" "+r.URL.RequestURI()+" "+string(b))
		}
		w.Header().Set("Content-Type", "application/json")
		if status == http.StatusOK && strings.Contains(r.URL.Path, "streamGenerateContent") {
			w.Header().Set("Content-Type", "text/event-stream")
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, stream)
	}))
	t.Cleanup(s.Close)
	return gemini.Provider{Endpoint: llm.Endpoint{BaseURL: s.URL, Key: "key-1234"}}, &bodies
}

// failed is the error of a reply that did not come.
func failed(t *testing.T, p gemini.Provider, r llm.Request) (*llm.Error, events.Usage) {
	t.Helper()
	reply, err := llm.Collect(p.Stream(t.Context(), r), nil)
	require.Error(t, err)
	return llm.AsError(err), reply.Usage
}

// opaque is what stands in ModelReplied.raw.
func opaque(raw json.RawMessage) llm.Opaque {
	var o llm.Opaque
	if json.Unmarshal(raw, &o) != nil {
		return llm.Opaque{}
	}
	return o
}
