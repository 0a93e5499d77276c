//go:build linux

package codexcli_test

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm/clitest"
	"manualslop/tiers/llm/codexcli"
	"manualslop/tiers/llm/llmtest"
	"manualslop/tiers/runtime"
)

// TestTheRealProgramIsLeftNoTool has two rounds with @openai/codex, for a person
// whose own configuration names a server of tools and a program to notify.
func TestTheRealProgramIsLeftNoTool(t *testing.T) {
	command := clitest.Real(t, "SLOP_CODEX_CLI")
	var offered []string
	server := llmtest.OpenAI(t, "openai", llmtest.Options{Answer: clitest.Answers(&offered), Models: []string{"gpt-5"}})
	home := t.TempDir()
	started := filepath.Join(home, "started")
	require.NoError(t, os.WriteFile(filepath.Join(home, "config.toml"), []byte(`notify = ["touch", "`+started+`"]
[mcp_servers.mine]
command = "touch"
args = ["`+started+`"]
`), 0o600))
	t.Setenv("CODEX_HOME", home)
	t.Setenv("OPENAI_API_KEY", llmtest.Key)
	p := codexcli.Provider{Run: runtime.RunProgram, Folder: filepath.Join(home, "runs"), BaseURL: server.URL + "/v1"}
	for _, reply := range clitest.Converse(t, p, command, "gpt-5") {
		require.Equal(t, events.Usage{Input: 100, Output: 30}, reply.Usage)
	}
	require.Empty(t, server.Refused())
	require.Equal(t, []string{"request_user_input"}, slices.Compact(offered),
		"the model is offered another tool of the program's own")
	require.NoFileExists(t, started)
}
