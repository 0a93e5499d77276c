//go:build linux

package geminicli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm/clitest"
	"manualslop/tiers/llm/geminicli"
	"manualslop/tiers/llm/llmtest"
)

// TestTheRealProgramIsLeftNoTool has two rounds with @google/gemini-cli, for a
// person whose own settings turn tools and an MCP server on.
func TestTheRealProgramIsLeftNoTool(t *testing.T) {
	command := clitest.Real(t, "SLOP_GEMINI_CLI")
	var offered []string
	server := llmtest.Gemini(t, llmtest.Options{Answer: clitest.Answers(&offered)})
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
	t.Setenv("GEMINI_API_KEY", llmtest.Key)
	t.Setenv("GOOGLE_GEMINI_BASE_URL", server.URL)
	for _, reply := range clitest.Converse(t, provider(t), command, "gemini-2.5-pro") {
		require.Equal(t, events.Usage{Input: 100, Output: 30}, reply.Usage)
	}
	require.Empty(t, server.Refused())
	require.Equal(t, []string{geminicli.Harmless}, slices.Compact(offered), "the model is offered another tool of the program's own")
	require.Contains(t, server.Requests()[0].System, "You are given one prompt.")
	require.NoFileExists(t, started)
}
