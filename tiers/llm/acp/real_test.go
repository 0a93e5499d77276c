//go:build linux

package acp_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm/acp"
	"manualslop/tiers/llm/clitest"
	"manualslop/tiers/llm/geminicli"
	"manualslop/tiers/llm/llmtest"
	"manualslop/tiers/runtime"
)

// TestTheRealAgentIsLeftNoTool has two rounds with gemini --acp.
func TestTheRealAgentIsLeftNoTool(t *testing.T) {
	command := clitest.Real(t, "SLOP_GEMINI_CLI")
	var offered []string
	server := llmtest.Gemini(t, llmtest.Options{Answer: clitest.Answers(&offered)})
	home := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(home, ".gemini"), 0o700))
	require.NoError(t, os.WriteFile(filepath.Join(home, ".gemini", "settings.json"),
		[]byte(`{"security":{"auth":{"selectedType":"gemini-api-key"}}}`), 0o600))
	t.Setenv("HOME", home)
	t.Setenv("GEMINI_API_KEY", llmtest.Key)
	t.Setenv("GOOGLE_GEMINI_BASE_URL", server.URL)
	p := acp.Provider{Run: runtime.RunProgram, Folder: filepath.Join(home, "runs"), Args: []string{"--acp"},
		Inherit: []string{"GEMINI_API_KEY", "GOOGLE_GEMINI_BASE_URL"}}
	for _, reply := range clitest.Converse(t, p, command, "gemini-2.5-pro") {
		require.Equal(t, events.Usage{Input: 100, Output: 30}, reply.Usage)
		require.Equal(t, "gemini-2.5-pro", reply.Model)
		require.NotNil(t, reply.CLI.Exit, "it ends when its input does")
	}
	require.Empty(t, server.Refused())
	require.Equal(t, []string{geminicli.Harmless}, slices.Compact(offered),
		"the model is offered another tool of the agent's own")
}
