//go:build linux

package geminicli_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
	limits "manualslop/tiers/llm/program"
)

func TestWhatTheAssistantSaysIsTheReplyInBothSpellings(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lines string
		want  string
	}{
		"of the original": {`{"type":"init","session_id":"s"}` + "\n" + hello + done, "hello"},
		"of today": {`{"type":"message","timestamp":"x","role":"assistant","content":"hel","delta":true}` +
			"\n" + `{"type":"message","role":"assistant","content":"lo","delta":true}` + "\n" + done, "hello"},
		"chunks": {`{"type":"chunk","content":"hel"}` + "\n" +
			`{"type":"chunk","role":"assistant","text":"lo"}` + "\n" + done, "hello"},
		"parts": {`{"type":"message","role":"assistant","content":[{"text":"hel"},"lo"]}` + "\n" + done,
			"hello"},
		"other people's words": {`{"type":"message","role":"user","content":"no"}` + "\n" +
			`{"type":"message","content":"no"}` + "\n" + `{"type":"chunk","role":"user","content":"no"}` + "\n" + hello + done,
			"hello"},
		"unknown types": {`{"type":"thought","content":"no"}` + "\n" + `{"type":7}` + "\n" + `{"content":"no"}` +
			"\n" + `{"type":"thought","content":[[[]]],"role":7}` + "\n" + hello + done, "hello"},
		"noise":                  {"Loaded cached credentials.\n\n  \nnull\n[1]\n" + hello + done, "hello"},
		"no line end":            {hello + strings.TrimSuffix(done, "\n"), "hello"},
		"Windows line ends":      {strings.ReplaceAll(hello+done, "\n", "\r\n"), "hello"},
		"nothing":                {done, ""},
		"nothing behind the end": {hello + done + hello + `{"type":"message","role":7}` + "\n{", "hello"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reply, err := ask(t, says(c.lines))
			require.NoError(t, err)
			require.Equal(t, c.want, reply.Text)
			require.Equal(t, llm.FinishStop, reply.Finish)
		})
	}
}

func TestTokensAreThoseOfTheProgramOrAnEstimate(t *testing.T) {
	t.Parallel()
	guess := llm.Estimate(request(""), "hello")
	for name, c := range map[string]struct {
		stats string
		want  events.Usage
	}{
		"of today": {`{"total_tokens":130,"input_tokens":100,"output_tokens":30,"cached":40,"input":60}`,
			events.Usage{Input: 60, Output: 30, CacheRead: 40}},
		"with thoughts in the total": {`{"total_tokens":142,"input_tokens":100,"output_tokens":30,"cached":40,"input":60}`,
			events.Usage{Input: 60, Output: 42, Thinking: 12, CacheRead: 40}},
		"short names": {`{"total":130,"input":100,"output":30,"cached":0}`, events.Usage{Input: 100,
			Output: 30}},
		"a sum": {`{"total_tokens":30}`, events.Usage{Input: 30 - guess.Output, Output: guess.Output,
			Estimated: true}},
		"a small sum":                {`{"total_tokens":1}`, events.Usage{Input: 0, Output: 1, Estimated: true}},
		"none":                       {`{}`, guess},
		"null":                       {`null`, guess},
		"negative":                   {`{"input_tokens":-5,"output_tokens":30}`, guess},
		"more than there can be":     {`{"input_tokens":100,"output_tokens":9223372036854775807}`, guess},
		"more cached than there was": {`{"input_tokens":5,"output_tokens":30,"cached":50}`, guess},
	} {
		reply, err := ask(t, says(hello+`{"type":"result","status":"success","stats":`+c.stats+"}\n"))
		require.NoError(t, err, name)
		require.Equal(t, c.want, reply.Usage, name)
	}
	require.True(t, guess.Estimated)
	for stats, want := range map[string]events.Usage{`{"input_tokens":100,"output_tokens":30,"cached":40}`: {Input: 60,
		Output: 30, CacheRead: 40}, `null`: {}, `{}`: {Output: 2, Estimated: true}} {
		reply, err := ask(t, says(hello+`{"type":"result","status":"error","error":{"message":"busy"},"stats":`+stats+"}\n"))
		require.Error(t, err)
		require.Equal(t, want, reply.Usage, "what was reported was paid for, and so was what came")
	}
}

func TestACallOfOursIsACallAndNothingElseIs(t *testing.T) {
	t.Parallel()
	use := func(name, id string) string {
		return fmt.Sprintf(`{"type":"tool_use","tool_name":%q,"tool_id":%q,"parameters":{"path":"a"}}`, name, id) + "\n"
	}
	ours := []events.ToolCall{{Name: "read_file", Args: json.RawMessage(`{"path":"a"}`)}}
	for name, c := range map[string]struct {
		lines string
		calls []events.ToolCall
		own   []string
	}{
		"of today":        {use("read_file", "t1"), ours, nil},
		"of the original": {`{"type":"tool_use","name":"read_file","parameters":{"path":"a"}}` + "\n", ours, nil},
		"with args":       {`{"type":"tool_use","name":"read_file","args":{"path":"a"}}` + "\n", ours, nil},
		"without any": {`{"type":"tool_use","name":"read_file"}` + "\n",
			[]events.ToolCall{{Name: "read_file", Args: json.RawMessage(`{}`)}}, nil},
		"of a tool not offered": {use("run_shell_command", "t1"), nil, []string{"run_shell_command"}},
		"that the program ran": {use("read_file", "t1") +
			`{"type":"tool_result","tool_id":"t1","status":"success","output":"x"}` + "\n", nil, []string{"read_file"}},
		"that it ran, unnumbered": {`{"type":"tool_use","name":"read_file"}` + "\n" + `{"type":"tool_result","output":"x"}` +
			"\n", nil, []string{"read_file"}},
		"one of two": {use("read_file", "t1") + use("edit_file", "t2") + `{"type":"tool_result","tool_id":"t2"}` + "\n", ours,
			[]string{"edit_file"}},
	} {
		reply, err := ask(t, says(c.lines+hello+done))
		require.NoError(t, err, name)
		require.Equal(t, c.calls, reply.Calls, name)
		require.Equal(t, c.own, reply.CLI.OwnTools, name)
		want := llm.FinishStop
		if c.calls != nil {
			want = llm.FinishToolCalls
		}
		require.Equal(t, want, reply.Finish, name)
	}
	reply, err := ask(t, says(`{"type":"tool_use","name":"read_file","parameters":"no object"}`+"\n"+done))
	require.NoError(t, err)
	require.NotEmpty(t, reply.Calls[0].Malformed, "it is answered and never run")
}

func TestARunIsOnRecord(t *testing.T) {
	t.Parallel()
	command := program(t, `cat >/dev/null; echo '{"type":"init","session_id":"s-1","model":"real"}'; echo oh >&2; echo '`+
		strings.TrimSpace(hello)+`'; echo '`+strings.TrimSpace(done)+`'; exit 3`)
	reply, err := ask(t, named(command))
	require.NoError(t, err, "the result counts, not the exit code")
	require.Equal(t, "real", reply.Model)
	run := reply.Replied("r").CLI
	require.Equal(t, []string{command, "--output-format", "stream-json", "--approval-mode", "default", "--extensions",
		"none", "--model=m1"}, run.Command)
	require.Contains(t, run.Stdout, `"content":"hello"`)
	require.Equal(t, "oh\n", run.Stderr)
	require.Equal(t, 3, *run.Exit)
	require.Equal(t, "s-1", run.Session)
	require.Positive(t, run.StdinSize)
	require.Len(t, run.StdinSHA256, 64)
}

func TestWhatIsOnRecordOfARunIsBounded(t *testing.T) {
	t.Parallel()
	reply, err := ask(t,
		named(program(t, `head -c 100000 /dev/zero | tr '\0' x >&2; head -c 100000 /dev/zero | tr '\0' y; echo; echo '`+
			strings.TrimSpace(done)+`'`)))
	require.NoError(t, err)
	require.Less(t, len(reply.CLI.Stdout), 17<<10)
	require.Less(t, len(reply.CLI.Stderr), 17<<10)
	require.Contains(t, reply.CLI.Stdout, "bytes of output not shown")
}

func TestLiveTextComesBeforeTheEnd(t *testing.T) {
	t.Parallel()
	var deltas []string
	reply, err := llm.Collect(provider(t).Stream(t.Context(), request(program(t, "echo '"+hello+hello+done+"'"))),
		func(s string) { deltas = append(deltas, s) })
	require.NoError(t, err)
	require.Equal(t, []string{"hello", "hello"}, deltas)
	require.Equal(t, "hellohello", reply.Text)
}

func TestLimitsOfTheOutput(t *testing.T) {
	t.Parallel()
	long := func(n int) string {
		frame := `{"type":"thought","x":""}`
		return strings.Replace(frame, `""`, `"`+strings.Repeat("x", n-len(frame))+`"`, 1) + "\n"
	}
	_, err := ask(t, says(long(limits.MaxLine)+done))
	require.NoError(t, err)
	require.Contains(t, fails(t, says(long(limits.MaxLine+1)+done)).Message, "longer than 4 MiB")
	tools := strings.Repeat(`{"type":"tool_use","name":"glob"}`+"\n", limits.MaxTools)
	reply, err := ask(t, says(tools+done))
	require.NoError(t, err)
	require.Len(t, reply.CLI.OwnTools, limits.MaxTools)
	require.Contains(t, fails(t, says(tools+`{"type":"tool_use","name":"glob"}`+"\n"+done)).Message,
		"used more than 256 tools")
	noise := strings.Repeat(strings.Repeat("x", 1<<20-1)+"\n", limits.MaxOutput>>20-1)
	last := strings.Repeat("x", 1<<20-len(done)-1) + "\n"
	_, err = ask(t, says(noise+last+done))
	require.NoError(t, err)
	require.Contains(t, fails(t, says(noise+"x"+last+done)).Message, "more than 32 MiB")
}
