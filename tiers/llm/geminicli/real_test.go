//go:build linux

package geminicli_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// TestTheRealProgramIsLeftNoTool runs the gemini command line that
// SLOP_GEMINI_CLI names (npm @google/gemini-cli, tried with 0.61.0) against a
// server of this test, for a person whose own settings turn tools and an MCP
// server on.
func TestTheRealProgramIsLeftNoTool(t *testing.T) {
	command := os.Getenv("SLOP_GEMINI_CLI")
	if command == "" {
		t.Skip("set SLOP_GEMINI_CLI to the gemini command line to run it")
	}
	api := &fakeAPI{}
	server := httptest.NewServer(api)
	defer server.Close()
	home := t.TempDir()
	started := filepath.Join(home, "mcp-started")
	own, err := json.Marshal(map[string]any{
		"security":   map[string]any{"auth": map[string]string{"selectedType": "gemini-api-key"}},
		"tools":      map[string]any{"core": []string{"run_shell_command", "write_file"}},
		"mcpServers": map[string]any{"mine": map[string]any{"command": "/bin/sh", "args": []string{"-c", "touch '" + started + "'; cat"}, "trust": true}},
	})
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(home, ".gemini"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(home, ".gemini", "settings.json"), own, 0o600))
	t.Setenv("HOME", home)
	t.Setenv("GEMINI_API_KEY", "no-key-at-all")
	t.Setenv("GOOGLE_GEMINI_BASE_URL", server.URL)
	reply, err := llm.Collect(provider(t).Stream(t.Context(), request(command)), nil)
	require.NoError(t, err)
	require.Equal(t, "hello from the server", reply.Text)
	require.Equal(t, events.Usage{Input: 10, Output: 3}, reply.Usage)
	require.NotEmpty(t, reply.CLI.Session)
	require.NotEmpty(t, api.offered)
	for _, functions := range api.offered {
		require.Empty(t, functions, "the model is offered a tool of the program's own")
	}
	require.NoFileExists(t, started)
}

// fakeAPI answers every question with one text and notes the functions that
// were offered.
type fakeAPI struct {
	mu      sync.Mutex
	offered [][]any
}

func (f *fakeAPI) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var asked struct {
		Tools []struct {
			FunctionDeclarations []any `json:"functionDeclarations"`
		} `json:"tools"`
	}
	if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	f.mu.Lock()
	for _, tool := range asked.Tools {
		f.offered = append(f.offered, tool.FunctionDeclarations)
	}
	f.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	fmt.Fprint(w, `data: {"candidates":[{"content":{"role":"model","parts":[{"text":"hello from the server"}]},"finishReason":"STOP","index":0}],`+
		`"usageMetadata":{"promptTokenCount":10,"candidatesTokenCount":3,"totalTokenCount":13}}`+"\r\n\r\n")
}
