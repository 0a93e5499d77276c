//go:build linux

package claudecli_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/claudecli"
)

// said is the reply of a program that writes lines and reads nothing.
func said(t *testing.T, lines string) (llm.Reply, *llm.Program, error) {
	t.Helper()
	var ran llm.Program
	p := claudecli.Provider{Folder: t.TempDir(), Inherit: []string{"MY_KEY"}, Run: func(_ context.Context,
		p llm.Program) (llm.Ended, error) {
		ran = p
		p.Follow([]byte(lines))
		return llm.Ended{}, nil
	}}
	reply, err := llm.Collect(p.Stream(t.Context(), llm.Request{
		Model: "--yolo", Params: events.ModelParams{Effort: "off", MaxOutputTokens: 77},
		Messages: []llm.Message{{Role: llm.RoleUser, Blocks: []llm.Block{llm.Text("x")}}},
	}), nil)
	return reply, &ran, err
}

const (
	whole = `{"type":"assistant","message":{"content":[{"type":"text","text":"hello"}]}}` + "\n"
	delta = `{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"text_delta","text":"hello"}}}` +
		"\n"
	done = `{"type":"result","subtype":"success","is_error":false,"result":"hello","usage":{"input_tokens":1,"output_tokens":2,"cache_creation_input_tokens":9,"cache_creation":{"ephemeral_1h_input_tokens":4}}}` + "\n"
)

func TestTextIsTakenOnceHoweverOftenItIsSaid(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ lines, want string }{
		"in pieces and whole": {delta + whole + done, "hello"},
		"whole alone":         {whole + done, "hello"},
		"in the result alone": {done, "hello"},
		"two blocks":          {delta + whole + delta + whole + done, "hellohello"},
		"thoughts": {
			`{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":"hm"}}}` +
				"\n" + `{"type":"assistant","message":{"content":[{"type":"thinking","thinking":"hm"}]}}` + "\n" + whole + done,
			"hello"},
		"a helper of its own": {
			`{"type":"assistant","parent_tool_use_id":"t1","message":{"content":[{"type":"text","text":"no"}]}}` + "\n" + whole +
				done, "hello"},
		"what was said to it": {`{"type":"user","message":{"role":"user","content":"no"}}` + "\n" + whole + done,
			"hello"},
		"what comes behind it":     {whole + done + whole, "hello"},
		"a type of the wrong kind": {`{"type":{}}` + "\n" + whole + done, "hello"},
	} {
		reply, _, err := said(t, c.lines)
		require.NoError(t, err, name)
		require.Equal(t, c.want, reply.Text, name)
		require.Equal(t, events.Usage{Input: 1, Output: 2, CacheWrite: 9, CacheWriteHour: 4}, reply.Usage, name)
	}
}

func TestHowItEndsDecidesWhatItIs(t *testing.T) {
	t.Parallel()
	stop := func(reason string) string {
		return `{"type":"stream_event","event":{"type":"message_delta","delta":{"stop_reason":"` + reason + `"}}}` + "\n"
	}
	reply, _, err := said(t, whole+stop("max_tokens")+done)
	require.NoError(t, err)
	require.Equal(t, llm.FinishMaxTokens, reply.Finish)
	reply, _, err = said(t,
		whole+`{"type":"result","subtype":"error_during_execution","is_error":true,"total_cost_usd":0.5,"usage":{"input_tokens":1,"output_tokens":2}}`+"\n")
	require.Error(t, err)
	require.Empty(t, reply.Text)
	paid := int64(500_000)
	require.Equal(t, events.Usage{Input: 1, Output: 2, CostMicroDollars: &paid}, reply.Usage,
		"what was reported was paid for")
	failed := `{"type":"result","subtype":"success","is_error":true,"result":"it went wrong"}` + "\n"
	for name, c := range map[string]struct{ lines, kind string }{
		"a refusal": {whole + stop("refusal") + done, events.ModelRefused},
		"no room":   {whole + stop("model_context_window_exceeded") + done, events.ModelContextTooLong},
		"too many turns": {`{"type":"result","subtype":"error_max_turns","is_error":false}` + "\n",
			events.ModelInvalidRequest},
		"a word for it": {`{"type":"assistant","error":"rate_limit","message":{"content":[]}}` + "\n" + failed,
			events.ModelRateLimited},
		"no login": {`{"type":"assistant","error":"authentication_failed","message":{"content":[]}}` + "\n" + failed,
			events.ModelAuth},
		"no word":       {failed, events.ModelInvalidRequest},
		"words":         {`{"type":"result","subtype":"error_during_execution","is_error":true,"errors":["Prompt is too long"]}` + "\n", events.ModelContextTooLong},
		"a wrong shape": {`{"type":"result","usage":7}` + "\n", events.ModelIncomplete},
	} {
		_, _, err := said(t, c.lines)
		require.Equal(t, c.kind, llm.AsError(err).Kind, "%s: %v", name, err)
	}
}

func TestTheProgramIsToldWhatARequestAsksFor(t *testing.T) {
	t.Parallel()
	_, ran, err := said(t, done)
	require.NoError(t, err)
	require.Contains(t, ran.Args, "--model=--yolo", "a model's name is no option")
	require.Equal(t, "0", ran.Set["MAX_THINKING_TOKENS"])
	require.Equal(t, "77", ran.Set["CLAUDE_CODE_MAX_OUTPUT_TOKENS"])
	require.Contains(t, ran.Inherit, "ANTHROPIC_API_KEY")
	require.Contains(t, ran.Inherit, "MY_KEY")
	require.NotContains(t, ran.Inherit, "CLAUDECODE", "it would not start")
}
