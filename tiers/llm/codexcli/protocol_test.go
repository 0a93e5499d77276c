//go:build linux

package codexcli_test

import (
	"context"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/codexcli"
)

// said is the reply of a program that writes lines.
func said(t *testing.T, p codexcli.Provider, effort, lines string) (llm.Reply, *llm.Program, error) {
	t.Helper()
	var ran llm.Program
	p.Folder = t.TempDir()
	p.Run = func(_ context.Context, p llm.Program) (llm.Ended, error) {
		ran = p
		p.Follow([]byte(lines))
		return llm.Ended{Exit: 2}, nil
	}
	reply, err := llm.Collect(p.Stream(t.Context(), llm.Request{
		Model: "-m", Params: events.ModelParams{Effort: effort},
		Messages: []llm.Message{{Role: llm.RoleUser, Blocks: []llm.Block{llm.Text("x")}}},
	}), nil)
	return reply, &ran, err
}

const (
	hello = `{"type":"item.completed","item":{"type":"agent_message","text":"hello"}}` + "\n"
	done  = `{"type":"turn.completed","usage":{"input_tokens":100,"cached_input_tokens":40,"cache_write_input_tokens":10,"output_tokens":30,"reasoning_output_tokens":5}}` + "\n"
)

func TestWordsToolsAndTokens(t *testing.T) {
	t.Parallel()
	reply, _, err := said(t, codexcli.Provider{}, "", hello+
		`{"type":"item.completed","item":{"type":"mcp_tool_call","server":"s","tool":"look"}}`+"\n"+
		`{"type":"item.completed","item":{"type":"file_change"}}`+"\n"+
		`{"type":"item.completed","item":{"type":"reasoning","text":"hm"}}`+"\n"+
		`{"type":"item.updated","item":{"type":"agent_message","text":"hel"}}`+"\n"+hello+done)
	require.NoError(t, err)
	require.Equal(t, "hello\n\nhello", reply.Text)
	require.Equal(t, []string{"mcp_tool_call look", "file_change"}, reply.CLI.OwnTools)
	require.Equal(t, events.Usage{Input: 50, CacheRead: 40, CacheWrite: 10, Output: 30, Thinking: 5}, reply.Usage)
	reply, _, err = said(t, codexcli.Provider{}, "",
		hello+`{"type":"turn.completed","usage":{"input_tokens":1,"cached_input_tokens":2}}`+"\n")
	require.NoError(t, err)
	require.True(t, reply.Usage.Estimated, "what cannot be is no count")
}

func TestWhatFailsSaysWhy(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ lines, kind string }{
		"a wrong key": {`{"type":"turn.failed","error":{"message":"unexpected status 401 Unauthorized"}}` + "\n",
			events.ModelAuth},
		"a busy vendor": {`{"type":"turn.failed","error":{"message":"We’re currently experiencing high demand, which may cause temporary errors."}}` + "\n", events.ModelOverloaded},
		"a lost stream": {`{"type":"turn.failed","error":{"message":"stream disconnected before completion"}}` + "\n",
			events.ModelNetwork},
		"a wrong option": {"error: unexpected argument\n", events.ModelInvalidRequest},
		"a wrong shape":  {`{"type":"turn.completed","usage":[]}` + "\n", events.ModelIncomplete},
	} {
		_, _, err := said(t, codexcli.Provider{}, "", c.lines)
		require.Equal(t, c.kind, llm.AsError(err).Kind, "%s: %v", name, err)
	}
}

func TestTheProgramIsToldWhatARequestAsksFor(t *testing.T) {
	t.Parallel()
	_, ran, err := said(t, codexcli.Provider{}, "off", done)
	require.NoError(t, err)
	require.Contains(t, ran.Args, "--model=-m", "a model's name is no option")
	require.Contains(t, ran.Args, `model_reasoning_effort="none"`)
	require.False(t, slices.Contains(ran.Args, `model_provider="slop"`))
	_, ran, err = said(t, codexcli.Provider{BaseURL: "https://h/v1", KeyVariable: "MY_KEY"}, "high", done)
	require.NoError(t, err)
	require.Contains(t, ran.Args, `model_reasoning_effort="high"`)
	require.Contains(t, ran.Args,
		`model_providers.slop={name="slop",base_url="https://h/v1",env_key="MY_KEY",wire_api="responses",request_max_retries=0,stream_max_retries=0}`)
	require.Contains(t, ran.Inherit, "MY_KEY")
}
