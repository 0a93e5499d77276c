//go:build linux

package geminicli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/clitest"
)

// twoTools is a request that offers a tool with a required argument and one of another server, whose
// name is too long for a function.
func twoTools(command string) llm.Request {
	r := request(command)
	r.Tools = []llm.Tool{
		{Name: "read_file", Description: "Reads.",
			Schema: json.RawMessage(`{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`)},
		{Name: longTool, Description: "Searches.", Schema: json.RawMessage(`{}`)},
	}
	return r
}

var longTool = "mcp__files__" + strings.Repeat("x", 50)

// playing is the fake program with one reply of its model and a fault.
func playing(t *testing.T, fault, reply string) (command string) {
	t.Helper()
	dir := t.TempDir()
	script := filepath.Join(dir, "script.jsonl")
	require.NoError(t, os.WriteFile(script, []byte(`{"tier":3,"reply":{`+reply+`}}`+"\n"), 0o600))
	command = filepath.Join(dir, "gemini")
	require.NoError(t, clitest.Install(command, clitest.Gemini, script, fault))
	return command
}

func TestCallsOfFunctionsAreCallsOfTheReply(t *testing.T) {
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1") // which must not see calls
	command := playing(t, "", `"text":"I look.","usage":{"input":7,"output":6},"tool_calls":[{"name":"read_file","args":{"path":"a"}},`+
		`{"name":"read_file","args":{"path":"a"}},{"name":"read_file","args":{}},{"name":"run_shell_command","args":{}}]`)
	got, err := llm.Collect(offering(t).Stream(t.Context(), twoTools(command)), nil)
	require.NoError(t, err)
	require.Equal(t, "I look.", got.Text)
	require.Equal(t, llm.FinishToolCalls, got.Finish)
	require.Equal(t, []events.ToolCall{{Name: "read_file", Args: json.RawMessage(`{"path":"a"}`)},
		{Name: "read_file", Args: json.RawMessage(`{"path":"a"}`)}, {Name: "read_file", Args: json.RawMessage(`{}`)},
		{Name: "run_shell_command", Args: json.RawMessage(`{}`)}}, got.Calls,
		"calls that the program refused are answered, too, and without the argument that it added")
	require.Empty(t, got.CLI.OwnTools)
	require.Equal(t, events.Usage{Input: 7, Output: 6, Thinking: 2}, got.Usage, "the program reports it at its turn limit")
	require.Equal(t, 53, *got.CLI.Exit)
}

func TestANameThatIsTooLongForAFunctionIsStillCalled(t *testing.T) {
	t.Parallel()
	function := longTool[:39] + "_" + events.Digest([]byte(longTool))[:8]
	got, err := llm.Collect(offering(t).Stream(t.Context(), twoTools(playing(t, "",
		`"tool_calls":[{"name":"`+function+`","args":{"q":1}}]`))), nil)
	require.NoError(t, err)
	require.Equal(t, []events.ToolCall{{Name: longTool, Args: json.RawMessage(`{"q":1}`)}}, got.Calls)
}

func TestAnArgumentOfTheToolIsNotTakenForTheProgramsOwn(t *testing.T) {
	t.Parallel()
	r := twoTools(playing(t, "", `"tool_calls":[{"name":"read_file","args":{"path":"a"}},{"name":"read_file","args":{"path":"b"}}]`))
	r.Tools[0].Schema = json.RawMessage(`{"type":"object","properties":{"wait_for_previous":{"type":"boolean"}}}`)
	got, err := llm.Collect(offering(t).Stream(t.Context(), r), nil)
	require.NoError(t, err)
	require.JSONEq(t, `{"path":"b","wait_for_previous":true}`, string(got.Calls[1].Args))
}

// TestAProgramThatDoesNotKeepToItsSettingsFails is about programs whose model has other tools than
// ours, none, or more than one turn.
func TestAProgramThatDoesNotKeepToItsSettingsFails(t *testing.T) {
	t.Parallel()
	const call = `"text":"I look.","tool_calls":[{"name":"read_file","args":{"path":"a"}}]`
	for fault, c := range map[string]struct{ reply, kind, says string }{
		clitest.OwnTool:     {call, events.ModelInvalidRequest, `the program used its own tool "run_shell_command"`},
		clitest.Unconnected: {`"text":"DONE"`, events.ModelInvalidRequest, "did not ask slop's MCP server for its tools"},
		clitest.Old:         {call, events.ModelInvalidRequest, `the version "0.39.1"; install @google/gemini-cli 0.40.0 or newer`},
		clitest.SecondTurn:  {call, events.ModelInvalidRequest, "continued after its turn"},
		clitest.Unheard:     {call, events.ModelIncomplete, "says that it called read_file, but slop's MCP server received no such call"},
		clitest.Invented:    {call, events.ModelIncomplete, "got a call of read_file that the program's model did not make"},
	} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			got, err := llm.Collect(offering(t).Stream(t.Context(), twoTools(playing(t, fault, c.reply))), nil)
			require.Empty(t, got.Calls)
			var e *llm.Error
			require.ErrorAs(t, err, &e)
			require.Equal(t, c.kind, e.Kind, e.Message)
			require.Contains(t, e.Message, c.says)
			require.NotEmpty(t, e.CLI.Stdout)
		})
	}
}

// TestOutputThatDoesNotFitItsToolsFails reads lines that no version of the program writes.
func TestOutputThatDoesNotFitItsToolsFails(t *testing.T) {
	t.Parallel()
	use := `{"type":"tool_use","tool_name":"mcp_slop_read_file","tool_id":"t1","parameters":{}}` + "\n"
	for name, c := range map[string]struct{ lines, says string }{
		"a result without a use": {`{"type":"tool_result","tool_id":"t1","status":"success"}` + "\n",
			"a tool that its model did not call"},
		"two results": {use + `{"type":"tool_result","tool_id":"t1","status":"success"}` + "\n" +
			`{"type":"tool_result","tool_id":"t1","status":"success"}` + "\n", "a tool that its model did not call"},
		"a use of its own without a result": {`{"type":"tool_use","tool_name":"write_file","tool_id":"t1","parameters":{}}` +
			"\n" + done, `its own tool "write_file"`},
		"a use after a result": {use + `{"type":"tool_result","tool_id":"t1","status":"error"}` + "\n" + use,
			"continued after its turn"},
		"more uses than there may be": {strings.Repeat(use, 257), "more than 256 tools"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := offering(t)
			p.Run = says(`{"type":"init"}` + "\n" + c.lines)
			_, err := llm.Collect(p.Stream(t.Context(), request("")), nil)
			require.ErrorContains(t, err, c.says)
		})
	}
}

func TestASilentProgramWithToolsIsEnded(t *testing.T) {
	t.Parallel()
	p := offering(t)
	p.Silence = 50 * time.Millisecond
	_, err := llm.Collect(p.Stream(t.Context(), twoTools(program(t, "exec sleep 1000"))), nil)
	require.ErrorContains(t, err, "wrote nothing for 50ms")
}

// TestTheSettingsOfARunNameOnlyOurTools looks into the folder of a run.
func TestTheSettingsOfARunNameOnlyOurTools(t *testing.T) {
	t.Parallel()
	seen := filepath.Join(t.TempDir(), "seen")
	_, err := llm.Collect(offering(t).Stream(t.Context(), twoTools(program(t,
		`cat >/dev/null; cat .gemini/settings.json > '`+seen+
			`'; stat -c %a . .gemini/settings.json > '`+seen+
			`.mode'; env > '`+seen+`.env'`))), nil)
	require.Error(t, err)
	read := func(name string) string {
		b, err := os.ReadFile(name)
		require.NoError(t, err)
		return string(b)
	}
	require.Equal(t, "700\n600\n", read(seen+".mode"), "nobody else may read the token")
	var settings struct {
		Tools      struct{ Core []string }
		MCP        struct{ Allowed []string }
		MCPServers map[string]struct {
			HTTPURL string
			Headers map[string]string
			Trust   bool
		}
		Model struct{ MaxSessionTurns int }
	}
	require.NoError(t, json.Unmarshal([]byte(read(seen)), &settings))
	require.Equal(t, []string{"mcp_slop_read_file", "mcp_slop_" + longTool[:39] + "_" +
		events.Digest([]byte(longTool))[:8]}, settings.Tools.Core)
	require.Equal(t, []string{"slop"}, settings.MCP.Allowed)
	require.Equal(t, 1, settings.Model.MaxSessionTurns)
	require.Len(t, settings.MCPServers, 1)
	token := strings.TrimPrefix(settings.MCPServers["slop"].Headers["Authorization"], "Bearer ")
	require.Len(t, token, 26)
	require.NotContains(t, read(seen+".env"), token, "children of the program see its variables")
}
