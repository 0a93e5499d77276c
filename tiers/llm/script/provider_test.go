package script_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
)

func play(t *testing.T, line string) llm.Provider {
	t.Helper()
	p, ok := parse(t, line).Play(1)
	require.True(t, ok)
	require.Equal(t, "script", p.Name())
	return p
}

func TestALineIsPlayedAsAWholeReply(t *testing.T) {
	t.Parallel()
	p := play(t, `{"tier":3,"reply":{"text":"Ich prüfe das für dich.","tool_calls":[{"name":"read_file","args":{"path":"ä"}},{"name":"x","args":"{broken"}],"usage":{"input":7,"output":3}}}`)
	for range 2 {
		var deltas []string
		r, err := llm.Collect(p.Stream(t.Context(), llm.Request{Model: "m"}), func(s string) { deltas = append(deltas, s) })
		require.NoError(t, err)
		require.Greater(t, len(deltas), 1)
		require.LessOrEqual(t, len(deltas), 4)
		require.Equal(t, "Ich prüfe das für dich.", strings.Join(deltas, ""))
		require.Equal(t, "Ich prüfe das für dich.", r.Text)
		require.Equal(t, llm.FinishToolCalls, r.Finish)
		require.Equal(t, "m", r.Model)
		require.Equal(t, events.Usage{Input: 7, Output: 3}, r.Usage)
		require.Equal(t, events.ToolCall{Name: "read_file", Args: json.RawMessage(`{"path":"ä"}`)}, r.Calls[0])
		require.NotEmpty(t, r.Calls[1].Malformed)
	}
}

func TestAnEmptyReplyIsAReply(t *testing.T) {
	t.Parallel()
	r, err := llm.Collect(play(t, `{"tier":3,"reply":{}}`).Stream(t.Context(), llm.Request{}), nil)
	require.NoError(t, err)
	require.Equal(t, llm.Reply{Finish: llm.FinishStop, Usage: events.Usage{Estimated: true}}, r)
}

func TestUsageIsEstimatedWhereTheLineHasNone(t *testing.T) {
	t.Parallel()
	req := llm.Request{Messages: []llm.Message{{Role: llm.RoleUser, Blocks: []llm.Block{llm.Text("12345678")}}}}
	r, err := llm.Collect(play(t, `{"tier":3,"reply":{"text":"123456789","tool_calls":[{"name":"a","args":{}}]}}`).Stream(
		t.Context(), req), nil)
	require.NoError(t, err)
	require.Equal(t, events.Usage{Input: 2, Output: 3, Estimated: true}, r.Usage)
}

func TestAScriptedErrorComesBehindTheText(t *testing.T) {
	t.Parallel()
	var seen strings.Builder
	r, err := llm.Collect(play(t,
		`{"tier":3,"reply":{"text":"half a","usage":{"input":7},"error":{"kind":"overloaded","message":"busy","retry_after_ms":40}}}`).
		Stream(t.Context(), llm.Request{}), func(s string) { seen.WriteString(s) })
	require.Equal(t, &llm.Error{Kind: events.ModelOverloaded, Message: "busy", RetryAfter: 40 * time.Millisecond}, err)
	require.Equal(t, "half a", seen.String())
	require.Equal(t, events.Usage{Input: 7, Output: 2, Estimated: true}, r.Usage,
		"what came counts, though nobody counted it")
}

func TestTheDelayIsTheWholeReplys(t *testing.T) {
	t.Parallel()
	for _, line := range []string{
		`{"tier":3,"reply":{"text":"some words","delay_ms":2000}}`,
		`{"tier":3,"reply":{"delay_ms":2000}}`,
		`{"tier":3,"reply":{"delay_ms":2000,"error":"overloaded"}}`,
	} {
		p := play(t, line)
		synctest.Test(t, func(t *testing.T) {
			start := time.Now()
			_, _ = llm.Collect(p.Stream(t.Context(), llm.Request{}), nil)
			require.Equal(t, 2*time.Second, time.Since(start), line)
		})
	}
}

func TestTheDelayEndsWithItsContext(t *testing.T) {
	t.Parallel()
	p := play(t, `{"tier":3,"reply":{"text":"some words","delay_ms":60000}}`)
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		start := time.Now()
		_, err := llm.Collect(p.Stream(ctx, llm.Request{}), nil)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 20*time.Second, time.Since(start))
	})
}

func TestACancelledReplyIsCancelled(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := llm.Collect(play(t, `{"tier":3,"reply":{"text":"some words"}}`).Stream(ctx, llm.Request{}), nil)
	var e *llm.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, events.ModelCancelled, e.Kind)
}

func TestAConsumerMayStopAnywhere(t *testing.T) {
	t.Parallel()
	p := play(t, `{"tier":3,"reply":{"text":"some words","tool_calls":[{"name":"a"}]}}`)
	all := 0
	for range p.Stream(t.Context(), llm.Request{}) {
		all++
	}
	for stop := 1; stop < all; stop++ {
		n := 0
		for _, err := range p.Stream(t.Context(), llm.Request{}) {
			require.NoError(t, err)
			if n++; n == stop {
				break
			}
		}
		require.Equal(t, stop, n)
	}
}

func TestThereIsNothingToPlayWithoutALine(t *testing.T) {
	t.Parallel()
	_, ok := parse(t, `{"tier":3,"reply":{}}`).Play(2)
	require.False(t, ok)
}
