package clitest

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/llmtest"
	"manualslop/tiers/llm/texttools"
)

// Real returns the path of the real program from an environment variable. It skips the test if the
// variable is not set. `make clis` installs the programs and sets the variables.
func Real(t *testing.T, variable string) string {
	t.Helper()
	path := os.Getenv(variable)
	if path == "" {
		t.Skip("set " + variable + " to the program, or run make clis, to try the real one")
	}
	return path
}

var promptMark = regexp.MustCompile(`Only headings with the mark ([0-9a-f]+) begin`)

// Answers returns a model for a real program. It calls one of our tools, as a function if the program
// offers it, and then repeats what it read; it appends the tools that the program offers to offered.
func Answers(offered *[]string) func(llmtest.View) llmtest.Turn {
	return func(v llmtest.View) llmtest.Turn {
		*offered = append(*offered, v.Tools...)
		usage := &events.Usage{Input: 100, Output: 30}
		prompt := v.Newest()
		mark := promptMark.FindStringSubmatch(prompt)
		switch {
		case mark == nil:
			return llmtest.Turn{Text: "There is no prompt of ours.", Usage: usage}
		case strings.Contains(prompt, "## Result of the tool read_file "+mark[1]+"\n\nthe answer is 42"):
			return llmtest.Turn{Text: "It is 42.", Usage: usage}
		}
		if slices.Contains(v.Tools, "mcp_slop_read_file") {
			return llmtest.Turn{Text: "I look.", Calls: []llmtest.Call{{Name: "mcp_slop_read_file",
				Args: `{"path":"a","wait_for_previous":true}`}}, Usage: usage}
		}
		return llmtest.Turn{Text: "I look.\n\n" + texttools.Block("read_file", json.RawMessage(`{"path":"a"}`), mark[1]),
			Usage: usage}
	}
}

// Converse runs two rounds with a real program whose model is [Answers].
func Converse(t *testing.T, p llm.Provider, command, model string) []llm.Reply {
	t.Helper()
	r := pair{command: command}.request()
	r.Model = model
	first, err := llm.Collect(p.Stream(t.Context(), r), nil)
	require.NoError(t, err)
	require.Equal(t, "I look.", first.Text)
	require.Equal(t, []events.ToolCall{{Name: "read_file", Args: json.RawMessage(`{"path":"a"}`)}}, first.Calls)
	require.NotEmpty(t, first.CLI.Session)
	require.Empty(t, first.CLI.OwnTools)
	r.Messages = append(r.Messages,
		llm.Message{Role: llm.RoleAssistant, Blocks: []llm.Block{llm.Text(first.Text), llm.Call{ID: "1", Name: "read_file",
			Args: first.Calls[0].Args}}},
		llm.Message{Role: llm.RoleTool, Blocks: []llm.Block{llm.Result{Call: "1", Name: "read_file",
			Text: "the answer is 42"}}})
	second, err := llm.Collect(p.Stream(t.Context(), r), nil)
	require.NoError(t, err)
	require.Equal(t, "It is 42.", second.Text)
	require.Empty(t, second.Calls)
	return []llm.Reply{first, second}
}
