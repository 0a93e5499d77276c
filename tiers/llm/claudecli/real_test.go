//go:build linux

package claudecli_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tiers/llm/claudecli"
	"manualslop/tiers/llm/clitest"
	"manualslop/tiers/llm/llmtest"
	"manualslop/tiers/runtime"
)

// TestTheRealProgramIsLeftNoToolAndFindsItsPromptInTheCache has two rounds with
// @anthropic-ai/claude-code.
func TestTheRealProgramIsLeftNoToolAndFindsItsPromptInTheCache(t *testing.T) {
	command := clitest.Real(t, "SLOP_CLAUDE_CLI")
	var offered []string
	answers := clitest.Answers(&offered)
	server := llmtest.Anthropic(t, llmtest.Options{MinPrefix: 1, Answer: func(v llmtest.View) llmtest.Turn {
		turn := answers(v)
		turn.Usage = nil // counted, with the cache
		return turn
	}})
	t.Setenv("HOME", t.TempDir())
	t.Setenv("CLAUDE_CONFIG_DIR", t.TempDir())
	t.Setenv("ANTHROPIC_API_KEY", llmtest.Key)
	t.Setenv("ANTHROPIC_BASE_URL", server.URL)
	p := claudecli.Provider{Run: runtime.RunProgram, Folder: t.TempDir()}
	replies := clitest.Converse(t, p, command, "claude-sonnet-4-5")
	require.Empty(t, offered, "the model is offered a tool of the program's own")
	for _, refused := range server.Refused() {
		require.Equal(t, "invalid key ", refused, "the program looks whether the server is there")
	}
	first := replies[0].Usage
	require.GreaterOrEqual(t, replies[1].Usage.CacheRead, first.Prompt()-1,
		"the second prompt begins with the whole first one")
	prompt := server.Requests()[0].Newest()
	require.Contains(t, prompt, "/help @me !ls `x` \"<&>\" Grüße", "the program reads no command and no file that a "+
		"prompt names")
}
