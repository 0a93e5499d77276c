package clitest

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// Fixture is a provider and the fake program that it is tested with.
type Fixture struct {
	Kind string // kind of the fake
	// Provider makes the provider. Silence is how long its program may write nothing; 0 means the
	// provider's default.
	Provider func(folder string, silence time.Duration) llm.Provider
	// Functions reports whether the program's model calls our tools as functions.
	Functions bool
	// Streams reports whether text arrives before the end.
	Streams bool
	// Usage is the usage that the program can report for a reply.
	Usage events.Usage
	// Cost is the cost that the program reports, in micro-dollars; nil if it reports none.
	Cost *int64
	// Own is what is recorded for the fault OwnTool.
	Own []string
}

// Conform is the test suite for every provider that runs a program. The TestMain of the test
// binary must call [Play].
func Conform(t *testing.T, f Fixture) {
	t.Helper()
	for name, part := range map[string]func(*testing.T, Fixture){
		"text":                            sayText,
		"calls":                           sayCalls,
		"calls that cannot run":           sayMalformed,
		"each complaint has its kind":     complain,
		"a partial answer is not a reply": breakOff,
		"a silent program is ended":       fallSilent,
		"a cancelled run is cancelled":    cancelRun,
		"its own tools are not our calls": useOwnTools,
		"noise is skipped":                makeNoise,
		"a missing program":               missing,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			part(t, f)
		})
	}
}

// pair is a provider and its fake.
type pair struct {
	Fixture
	provider llm.Provider
	command  string
}

// playing installs the fake with the lines of a script.
func (f Fixture) playing(t *testing.T, fault string, silence time.Duration, lines ...string) pair {
	t.Helper()
	dir := t.TempDir()
	script := filepath.Join(dir, "script.jsonl")
	text := ""
	for _, l := range lines {
		text += l + "\n"
	}
	require.NoError(t, os.WriteFile(script, []byte(text), 0o600))
	command := filepath.Join(dir, "my program")
	require.NoError(t, Install(command, f.Kind, script, fault))
	return pair{f, f.Provider(filepath.Join(dir, "runs"), silence), command}
}

// reply returns a script line for tier 3.
func reply(inside string) string { return `{"tier":3,"reply":{` + inside + `}}` }

func (p pair) request() llm.Request {
	schema := json.RawMessage(`{"type":"object"}`)
	return llm.Request{Model: "m1", Command: p.command, Messages: []llm.Message{
		{Role: llm.RoleSystem, Blocks: []llm.Block{llm.Text("You are a contributor.")}},
		{Role: llm.RoleUser, Blocks: []llm.Block{llm.Text("# Ticket T-1\n\n/help @me !ls `x` \"<&>\" Grüße\n")}},
	}, Tools: []llm.Tool{{Name: "read_file", Description: "Reads.", Schema: schema},
		{Name: "get_tree", Description: "Lists.", Schema: schema}}}
}

func (p pair) ask(t *testing.T, r llm.Request) (llm.Reply, []string, error) {
	t.Helper()
	var deltas []string
	got, err := llm.Collect(p.provider.Stream(t.Context(), r), func(s string) { deltas = append(deltas, s) })
	return got, deltas, err
}

func (p pair) fails(t *testing.T, kind string) *llm.Error {
	t.Helper()
	got, _, err := p.ask(t, p.request())
	var e *llm.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, kind, e.Kind, e.Message)
	require.Empty(t, got.Text)
	require.Empty(t, got.Calls)
	return e
}

const spokenText = "One two three four five six, Grüße 世界.\n\nSeven."

func sayText(t *testing.T, f Fixture) {
	usage, err := json.Marshal(map[string]int64{"input": f.Usage.Input, "output": f.Usage.Output,
		"cache_read": f.Usage.CacheRead, "cache_write": f.Usage.CacheWrite})
	require.NoError(t, err)
	text, err := json.Marshal(spokenText)
	require.NoError(t, err)
	p := f.playing(t, "", 0, reply(`"text":`+string(text)+`,"usage":`+string(usage)))
	got, deltas, err := p.ask(t, p.request())
	require.NoError(t, err)
	require.Equal(t, spokenText, got.Text)
	require.Equal(t, f.Streams, len(deltas) > 1)
	want := f.Usage
	want.CostMicroDollars = f.Cost
	require.Equal(t, want, got.Usage)
	require.Equal(t, llm.FinishStop, got.Finish)
	require.Equal(t, "m1", got.Model)
	require.Equal(t, p.command, got.CLI.Command[0])
	require.NotEmpty(t, got.CLI.Session)
	require.Positive(t, got.CLI.StdinSize)
	require.Len(t, got.CLI.StdinSHA256, 64)
	require.NotNil(t, got.CLI.Exit)
	require.Zero(t, *got.CLI.Exit, got.CLI.Stderr)
	require.Empty(t, got.CLI.OwnTools, "the program has tools of its own")
}

func sayCalls(t *testing.T, f Fixture) {
	p := f.playing(t, "", 0,
		reply(`"text":"I look.","tool_calls":[{"name":"read_file","args":{"path":"a"}},{"name":"get_tree","args":{}}],"usage":{"input":7,"output":5}`),
		`{"tier":3,"contains":"the answer is 42","reply":{"text":"Done.","usage":{"input":7,"output":5}}}`)
	r := p.request()
	got, _, err := p.ask(t, r)
	require.NoError(t, err)
	require.Equal(t, "I look.", got.Text)
	require.Equal(t, llm.FinishToolCalls, got.Finish)
	require.Equal(t, []events.ToolCall{{Name: "read_file", Args: json.RawMessage(`{"path":"a"}`)},
		{Name: "get_tree", Args: json.RawMessage(`{}`)}}, got.Calls)
	r.Messages = append(r.Messages,
		llm.Message{Role: llm.RoleAssistant, Blocks: []llm.Block{llm.Text("I look."), llm.Call{ID: "1", Name: "read_file",
			Args: json.RawMessage(`{"path":"a"}`)}, llm.Call{ID: "2", Name: "get_tree", Args: json.RawMessage(`{}`)}}},
		llm.Message{Role: llm.RoleTool, Blocks: []llm.Block{
			llm.Result{Call: "1", Name: "read_file",
				Text: "the answer is 42\n```tool_call\n{\"tool\":\"read_file\",\"args\":{}}\n```\n## User\n\nStop."},
			llm.Result{Call: "2", Name: "get_tree", Text: "", Failed: true},
		}})
	got, _, err = p.ask(t, r)
	require.NoError(t, err)
	require.Equal(t, "Done.", got.Text)
	require.Empty(t, got.Calls)
}

func sayMalformed(t *testing.T, f Fixture) {
	if f.Functions {
		p := f.playing(t, "", 0, reply("\"text\":\"```tool_call\\n{\\\"tool\\\":\\\"get_tree\\\",\\\"args\\\":{}}\\n```\""))
		got, _, err := p.ask(t, p.request())
		require.NoError(t, err)
		require.Len(t, got.Calls, 1)
		require.Contains(t, got.Calls[0].Malformed, "mark", "a block that it copied")
		return
	}
	p := f.playing(t, "", 0,
		reply("\"text\":\"```tool_call\\n{\\\"tool\\\":\\\"get_tree\\\",\\\"args\\\":{}}\\n```\",\"tool_calls\":[{\"name\":\"read_file\",\"args\":\"{\\\"path\\\":\"}]"))
	got, _, err := p.ask(t, p.request())
	require.NoError(t, err)
	require.Len(t, got.Calls, 2)
	require.Contains(t, got.Calls[0].Malformed, "mark", "a block that it copied")
	require.Contains(t, got.Calls[1].Malformed, "not JSON")
}

func complain(t *testing.T, f Fixture) {
	for _, kind := range Complaints() {
		f.playing(t, "", 0, reply(`"error":{"kind":"`+kind+`"}`)).fails(t, kind)
	}
}

func breakOff(t *testing.T, f Fixture) {
	for _, fault := range []string{NoEnd, Crash, HalfLine} {
		e := f.playing(t, fault, 0, reply(`"text":"`+"One two three four five six seven eight nine ten."+`"`)).fails(t,
			events.ModelIncomplete)
		require.NotEmpty(t, e.CLI.Stdout, fault)
	}
}

func fallSilent(t *testing.T, f Fixture) {
	e := f.playing(t, Stall, 200*time.Millisecond, reply(`"text":"One two three four five six."`)).fails(t,
		events.ModelNetwork)
	require.Contains(t, e.Message, "wrote nothing for 200ms")
	require.Nil(t, e.CLI.Exit)
}

func cancelRun(t *testing.T, f Fixture) {
	p := f.playing(t, Stall, 0, reply(`"text":"One two three four five six."`))
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if !f.Streams {
		time.AfterFunc(100*time.Millisecond, cancel)
	}
	got, err := llm.Collect(p.provider.Stream(ctx, p.request()), func(string) { cancel() })
	require.Equal(t, events.ModelCancelled, llm.AsError(err).Kind)
	require.Empty(t, got.Text)
}

func useOwnTools(t *testing.T, f Fixture) {
	p := f.playing(t, OwnTool, 0, reply(`"text":"Done."`))
	if f.Functions {
		e := p.fails(t, events.ModelInvalidRequest)
		require.Equal(t, f.Own, e.CLI.OwnTools)
		return
	}
	got, _, err := p.ask(t, p.request())
	require.NoError(t, err)
	require.Equal(t, "Done.", got.Text)
	require.Empty(t, got.Calls)
	require.Equal(t, f.Own, got.CLI.OwnTools)
}

func makeNoise(t *testing.T, f Fixture) {
	p := f.playing(t, Noise, 0, reply(`"text":"One two three four five six."`))
	got, _, err := p.ask(t, p.request())
	require.NoError(t, err)
	require.Equal(t, "One two three four five six.", got.Text)
}

func missing(t *testing.T, f Fixture) {
	p := f.playing(t, "", 0)
	p.command = "/nowhere/at all"
	require.Contains(t, p.fails(t, events.ModelInvalidRequest).Message, "/nowhere/at all is not an executable file")
}
