//go:build linux

package acp_test

import (
	"bufio"
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/acp"
)

// talk is an agent that answers the nth message with the nth lines.
func talk(t *testing.T, model string, answers ...string) (llm.Reply, []string, error) {
	t.Helper()
	var heard []string
	p := acp.Provider{Folder: t.TempDir(), Run: func(ctx context.Context, p llm.Program) (llm.Ended, error) {
		read, write := io.Pipe()
		go p.Talk(write)
		context.AfterFunc(ctx, func() { _ = read.CloseWithError(io.EOF) })
		in := bufio.NewReader(read)
		for _, a := range answers {
			line, err := in.ReadString('\n')
			if err != nil {
				break
			}
			heard = append(heard, line)
			p.Follow([]byte(a + "\n"))
		}
		for {
			line, err := in.ReadString('\n')
			if err != nil {
				return llm.Ended{}, nil
			}
			heard = append(heard, line)
		}
	}}
	reply, err := llm.Collect(p.Stream(t.Context(), llm.Request{Model: model, Command: "/bin/agent",
		Messages: []llm.Message{{Role: llm.RoleUser, Blocks: []llm.Block{llm.Text("x")}}}}), nil)
	return reply, heard, err
}

const (
	begun  = `{"jsonrpc":"2.0","id":1,"result":{"protocolVersion":1}}`
	open   = `{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s"}}`
	models = `{"jsonrpc":"2.0","id":2,"result":{"sessionId":"s","models":{"currentModelId":"a","availableModels":[{"modelId":"a"},{"modelId":"b"}]}}}`
	chosen = `{"jsonrpc":"2.0","id":3,"result":{}}`
	hello  = `{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s","update":{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"hello"}}}}` + "\n"
	done   = `{"jsonrpc":"2.0","id":4,"result":{"stopReason":"end_turn","usage":{"inputTokens":7,"outputTokens":5,"thoughtTokens":2,"cachedReadTokens":3}}}`
)

func TestTokensThatCannotBeAreEstimated(t *testing.T) {
	t.Parallel()
	reply, _, err := talk(t, "", begun, open, hello+strings.Replace(done, `"outputTokens":5`,
		`"outputTokens":9223372036854775807`, 1))
	require.NoError(t, err)
	require.True(t, reply.Usage.Estimated)
	require.Positive(t, reply.Usage.Output)
}

func TestAnAttemptIsOnePrompt(t *testing.T) {
	t.Parallel()
	reply, heard, err := talk(t, "b", begun, models, chosen, strings.Replace(hello, `"s"`, `"another"`, 1)+hello+done)
	require.NoError(t, err)
	require.Equal(t, "hello", reply.Text, "of our session alone")
	require.Equal(t, "b", reply.Model)
	require.Equal(t, events.Usage{Input: 7, Output: 7, Thinking: 2, CacheRead: 3}, reply.Usage)
	require.Len(t, heard, 4)
	require.Contains(t, heard[0],
		`"clientCapabilities":{"fs":{"readTextFile":false,"writeTextFile":false},"terminal":false}`)
	require.Contains(t, heard[1], `"mcpServers":[]`)
	require.Contains(t, heard[2], `"modelId":"b"`)
	for _, model := range []string{"a", acp.OwnModel} {
		reply, heard, err = talk(t, model, begun, models, hello+done)
		require.NoError(t, err)
		require.Len(t, heard, 3, "there is nothing to choose")
		require.Equal(t, "a", reply.Model)
	}
	reply, _, err = talk(t, "anything", begun, open, hello+done)
	require.NoError(t, err)
	require.Equal(t, "anything", reply.Model, "the agent has no list")
}

func TestWhatFailsSaysWhy(t *testing.T) {
	t.Parallel()
	stop := func(reason string) string { return `{"id":4,"result":{"stopReason":"` + reason + `"}}` }
	for name, c := range map[string]struct {
		kind, says string
		answers    []string
	}{
		"another version": {events.ModelInvalidRequest, "version 2", []string{`{"id":1,"result":{"protocolVersion":2}}`}},
		"no login": {events.ModelAuth, "log in",
			[]string{begun, `{"id":2,"error":{"code":-32000,"message":"please log in"}}`}},
		"no session":     {events.ModelIncomplete, "without an id", []string{begun, `{"id":2,"result":{}}`}},
		"no such model":  {events.ModelInvalidRequest, "choose one of a, b", []string{begun, models}},
		"a refusal":      {events.ModelRefused, "refused", []string{begun, open, hello + stop("refusal")}},
		"too many turns": {events.ModelInvalidRequest, "requests", []string{begun, open, hello + stop("max_turn_requests")}},
		"cancelled":      {events.ModelIncomplete, "cancelled", []string{begun, open, hello + stop("cancelled")}},
		"a wrong shape": {events.ModelIncomplete, "unexpected format",
			[]string{begun, open, `{"method":"session/update","params":7}`}},
		"an error": {events.ModelRateLimited, "429",
			[]string{begun, open, `{"id":4,"error":{"code":-32603,"message":"x","data":{"status":429}}}`}},
	} {
		model := ""
		if name == "no such model" {
			model = "c"
		}
		_, _, err := talk(t, model, c.answers...)
		require.Equal(t, c.kind, llm.AsError(err).Kind, "%s: %v", name, err)
		require.ErrorContains(t, err, c.says, name)
	}
	reply, _, err := talk(t, "", begun, open, hello+stop("max_tokens"))
	require.NoError(t, err)
	require.Equal(t, llm.FinishMaxTokens, reply.Finish)
	require.True(t, reply.Usage.Estimated)
}

func TestThereIsNoAgentByDefault(t *testing.T) {
	t.Parallel()
	p := acp.Provider{Folder: t.TempDir()}
	_, err := llm.Collect(p.Stream(t.Context(), llm.Request{}), nil)
	require.ErrorContains(t, err, "[providers.acp] command")
}
