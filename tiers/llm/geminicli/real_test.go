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
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/clitest"
	"manualslop/tiers/llm/geminicli"
	"manualslop/tiers/llm/llmtest"
)

// TestTheRealProgramIsLeftNoTool has two rounds with @google/gemini-cli in each mode, for a person whose
// own settings turn tools and MCP servers on, one of them with the name of ours. Calls of functions pass by
// a proxy.
func TestTheRealProgramIsLeftNoTool(t *testing.T) {
	command := clitest.Real(t, "SLOP_GEMINI_CLI")
	var offered []string
	server := llmtest.Gemini(t, llmtest.Options{Answer: clitest.Answers(&offered)})
	home := t.TempDir()
	started := filepath.Join(home, "mcp-started")
	own, err := json.Marshal(map[string]any{
		"security": map[string]any{"auth": map[string]string{"selectedType": "gemini-api-key"}},
		"tools":    map[string]any{"core": []string{"run_shell_command", "write_file"}},
		"mcpServers": map[string]any{"slop": map[string]any{"command": "/bin/sh", "args": []string{"-c", "touch '" + started +
			"'; cat"}, "trust": true}, "mine": map[string]any{"command": "/bin/sh", "args": []string{"-c", "touch '" + started +
			"'; cat"}, "trust": true}},
	})
	require.NoError(t, err)
	require.NoError(t, os.Mkdir(filepath.Join(home, ".gemini"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(home, ".gemini", "settings.json"), own, 0o600))
	t.Setenv("HOME", home)
	t.Setenv("GEMINI_API_KEY", llmtest.Key)
	t.Setenv("GOOGLE_GEMINI_BASE_URL", server.URL)
	t.Setenv("NO_PROXY", "localhost")
	for _, c := range []struct {
		provider geminicli.Provider
		proxy    string
		tools    []string
	}{
		{offering(t), "http://127.0.0.1:1", []string{"mcp_slop_get_tree", "mcp_slop_read_file"}},
		{provider(t), "", []string{geminicli.Harmless}},
	} {
		t.Setenv("HTTP_PROXY", c.proxy)
		offered = nil
		for _, reply := range clitest.Converse(t, c.provider, command, "gemini-2.5-pro") {
			require.Equal(t, events.Usage{Input: 100, Output: 30}, reply.Usage)
		}
		slices.Sort(offered)
		require.Equal(t, c.tools, slices.Compact(offered), "the model is offered another tool of the program's own")
	}
	require.Empty(t, server.Refused())
	require.Len(t, server.Requests(), 4, "the program ends after one turn")
	require.Contains(t, server.Requests()[0].System, "You are given one prompt.")
	require.NoFileExists(t, started)
}

// TestTheRealProgramReadsNoFileThatAPromptMentions gives it a prompt with code
// in which a decorator is named as a file of its folder or one of its agents.
func TestTheRealProgramReadsNoFileThatAPromptMentions(t *testing.T) {
	command := clitest.Real(t, "SLOP_GEMINI_CLI")
	server := llmtest.Gemini(t, llmtest.Options{Turns: []llmtest.Turn{{Text: "ok"}}})
	home := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(home, ".gemini"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(home, ".gemini", "settings.json"),
		[]byte(`{"security":{"auth":{"selectedType":"gemini-api-key"}}}`), 0o600))
	t.Setenv("HOME", home)
	t.Setenv("GEMINI_API_KEY", llmtest.Key)
	t.Setenv("GOOGLE_GEMINI_BASE_URL", server.URL)
	r := request(command)
	code := "class A:\n\t@json\n\t@property\n\n  @.gemini/settings.json\n@codebase_investigator"
	r.Model, r.Messages[1].Blocks = "gemini-2.5-pro", []llm.Block{llm.Text(code)}
	_, err := llm.Collect(provider(t).Stream(t.Context(), r), nil)
	require.NoError(t, err)
	said := server.Requests()[0].Messages
	require.Contains(t, said[len(said)-1].Text, "\n\n"+code, "the prompt is not what it was")
	require.NotContains(t, said[len(said)-1].Text, "Content from")
	require.NotContains(t, said[len(said)-1].Text, "explicitly selected")
}
