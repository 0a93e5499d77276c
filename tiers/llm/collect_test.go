package llm_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// stream yields the chunks and then err, if that is not nil.
func stream(err error, chunks ...llm.Chunk) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		for _, c := range chunks {
			if !yield(c, nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// call is the chunks of one whole call.
func call(index int, name, args string) []llm.Chunk {
	return []llm.Chunk{llm.CallBegin{Index: index, Name: name}, llm.CallArgs{Index: index, Text: args},
		llm.CallEnd{Index: index}}
}

func requireKind(t *testing.T, kind string, err error) *llm.Error {
	t.Helper()
	var e *llm.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, kind, e.Kind, e.Message)
	return e
}

func TestCollectAssemblesTextCallsAndUsage(t *testing.T) {
	t.Parallel()
	var deltas []string
	raw := &llm.Opaque{Origin: "v/m", Data: json.RawMessage(`{"sig":"x"}`)}
	r, err := llm.Collect(stream(nil,
		llm.TextDelta("Let me "), llm.Usage{Input: 5}, llm.TextDelta("look."),
		llm.CallBegin{Index: 0, Name: "read_file"}, llm.CallBegin{Index: 1, Name: "get_tree"},
		llm.CallArgs{Index: 0, Text: `{"pa`}, llm.CallArgs{Index: 1, Text: ` `}, llm.CallArgs{Index: 0, Text: `th":"a"}`},
		llm.CallEnd{Index: 1}, llm.CallEnd{Index: 0},
		llm.Usage{Input: 9, Output: 4, CacheRead: 2}, llm.Finish{Reason: llm.FinishStop, Model: "m-1", Raw: raw},
	), func(s string) { deltas = append(deltas, s) })
	require.NoError(t, err)
	require.Equal(t, []string{"Let me ", "look."}, deltas)
	require.Equal(t, llm.Reply{
		Text: "Let me look.", Finish: llm.FinishToolCalls, Model: "m-1", Usage: events.Usage{Input: 9, Output: 4,
			CacheRead: 2},
		Calls: []events.ToolCall{{Name: "read_file", Args: json.RawMessage(`{"path":"a"}`)},
			{Name: "get_tree", Args: json.RawMessage(`{}`)}},
		Raw: json.RawMessage(`{"origin":"v/m","data":{"sig":"x"}}`),
	}, r)

	fact := r.Replied("01J")
	require.Equal(t, "01J-0", fact.Calls[0].ID)
	require.Equal(t, "01J-1", fact.Calls[1].ID)
	require.Equal(t, events.Digest([]byte("Let me look.")), fact.SHA256)
	require.Empty(t, r.Calls[0].ID, "the reply itself is not changed")
}

func TestAStreamWithoutItsEndMarkerIsIncomplete(t *testing.T) {
	t.Parallel()
	r, err := llm.Collect(stream(nil, llm.TextDelta("half"), llm.Usage{Input: 7}), nil)
	requireKind(t, events.ModelIncomplete, err)
	require.Equal(t, llm.Reply{Usage: events.Usage{Input: 7, Output: 1, Estimated: true}}, r,
		"only what was paid for is left")
}

func TestNothingBehindTheEndMarkerCounts(t *testing.T) {
	t.Parallel()
	r, err := llm.Collect(stream(errors.New("late"), llm.TextDelta("a"), llm.Finish{Reason: llm.FinishStop},
		llm.TextDelta("b")), nil)
	require.NoError(t, err)
	require.Equal(t, "a", r.Text)
}

func TestErrorsOfAStreamHaveAKind(t *testing.T) {
	t.Parallel()
	given := &llm.Error{Kind: events.ModelRateLimited, Message: "slow down"}
	_, err := llm.Collect(stream(given), nil)
	require.Equal(t, given, err)
	_, err = llm.Collect(stream(fmt.Errorf("read: %w", context.Canceled)), nil)
	requireKind(t, events.ModelCancelled, err)
	require.ErrorIs(t, err, context.Canceled)
	_, err = llm.Collect(stream(errors.New("reset by peer")), nil)
	requireKind(t, events.ModelNetwork, err)
}

func TestCallsThatAreNotOneJSONObjectAreMalformed(t *testing.T) {
	t.Parallel()
	for name, args := range map[string]string{
		"cut short": `{"path":`, "a string": `"path"`, "a list": `[]`, "null": `null`, "two objects": `{}{}`,
		"the same key twice": `{"a":1,"a":2}`, "a number out of range": `{"a":1e999}`, "prose": `path=a`,
		"bad UTF-8":      "{\"a\":\"\xff\"}",
		"over the limit": `{"a":"` + strings.Repeat("x", events.MaxArgs-7) + `"}`,
	} {
		r, err := llm.Collect(stream(nil, append(call(0, "t", args), llm.Finish{Reason: llm.FinishToolCalls})...), nil)
		require.NoError(t, err, name)
		require.JSONEq(t, `{}`, string(r.Calls[0].Args), name)
		require.NotEmpty(t, r.Calls[0].Malformed, name)
	}
}

func TestArgumentsAtTheLimitPass(t *testing.T) {
	t.Parallel()
	args := `{"a":"` + strings.Repeat("x", events.MaxArgs-8) + `"}`
	require.Len(t, args, events.MaxArgs)
	r, err := llm.Collect(stream(nil, append(call(0, "t", args), llm.Finish{Reason: llm.FinishStop})...), nil)
	require.NoError(t, err)
	require.Empty(t, r.Calls[0].Malformed)
	require.Equal(t, args, string(r.Calls[0].Args))
}

func TestACallCutOffAtTheTokenLimitIsMalformed(t *testing.T) {
	t.Parallel()
	for name, last := range map[string][]llm.Chunk{
		"still open": {llm.CallBegin{Index: 1, Name: "t"}, llm.CallArgs{Index: 1, Text: `{}`}},
		"empty":      {llm.CallBegin{Index: 1, Name: "t"}, llm.CallEnd{Index: 1}},
		"broken":     call(1, "t", `{"a":`),
	} {
		chunks := append(call(0, "t", `{"a":1}`), last...)
		r, err := llm.Collect(stream(nil, append(chunks, llm.Finish{Reason: llm.FinishMaxTokens})...), nil)
		require.NoError(t, err, name)
		require.Equal(t, llm.FinishMaxTokens, r.Finish, name)
		require.Empty(t, r.Calls[0].Malformed, name)
		require.NotEmpty(t, r.Calls[1].Malformed, name)
	}
}

func TestACallThatIsNeverFinishedIsMalformed(t *testing.T) {
	t.Parallel()
	r, err := llm.Collect(stream(nil, llm.CallBegin{Name: "t"}, llm.CallArgs{Text: `{}`},
		llm.Finish{Reason: llm.FinishStop}), nil)
	require.NoError(t, err)
	require.Equal(t, "the call was not completed", r.Calls[0].Malformed)
}

func TestToolNamesAreBounded(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", strings.Repeat("n", llm.MaxToolName+1)} {
		r, err := llm.Collect(stream(nil, append(call(0, name, `{}`), llm.Finish{Reason: llm.FinishStop})...), nil)
		require.NoError(t, err)
		require.NotEmpty(t, r.Calls[0].Malformed)
		require.NotEmpty(t, r.Calls[0].Name)
		require.LessOrEqual(t, len(r.Calls[0].Name), llm.MaxToolName)
	}
	r, err := llm.Collect(stream(nil, append(call(0, strings.Repeat("n", llm.MaxToolName), `{}`),
		llm.Finish{Reason: llm.FinishStop})...), nil)
	require.NoError(t, err)
	require.Empty(t, r.Calls[0].Malformed)
}

func TestReplyTextIsBounded(t *testing.T) {
	t.Parallel()
	end := llm.Finish{Reason: llm.FinishStop}
	r, err := llm.Collect(stream(nil, llm.TextDelta(strings.Repeat("x", llm.MaxText)), end), nil)
	require.NoError(t, err)
	require.Len(t, r.Text, llm.MaxText)
	_, err = llm.Collect(stream(nil, llm.TextDelta(strings.Repeat("x", llm.MaxText)), llm.TextDelta("x"), end), nil)
	requireKind(t, events.ModelIncomplete, err)
}

func TestCallsOfAReplyAreBounded(t *testing.T) {
	t.Parallel()
	var chunks []llm.Chunk
	for i := range llm.MaxCalls {
		chunks = append(chunks, call(i, "t", `{}`)...)
	}
	end := llm.Finish{Reason: llm.FinishStop}
	r, err := llm.Collect(stream(nil, append(chunks, end)...), nil)
	require.NoError(t, err)
	require.Len(t, r.Calls, llm.MaxCalls)
	chunks = append(chunks, call(llm.MaxCalls, "t", `{}`)...)
	_, err = llm.Collect(stream(nil, append(chunks, end)...), nil)
	requireKind(t, events.ModelIncomplete, err)
}

func TestAWholeReplyFitsOneEvent(t *testing.T) {
	t.Parallel()
	end := llm.Finish{Reason: llm.FinishStop}
	base, err := json.Marshal(llm.Reply{Finish: llm.FinishStop, Usage: events.Usage{Output: 1}}.Replied(""))
	require.NoError(t, err)
	room := llm.MaxReply - len(base)
	escaped := strings.Repeat("<", room/6) // each takes six bytes on record
	text := escaped + strings.Repeat("x", room%6)
	usage := llm.Usage{Output: 1}
	_, err = llm.Collect(stream(nil, llm.TextDelta(text), usage, end), nil)
	require.NoError(t, err)
	_, err = llm.Collect(stream(nil, llm.TextDelta(text+"x"), usage, end), nil)
	requireKind(t, events.ModelIncomplete, err)
}

func TestAProviderThatBreaksTheProtocolGivesNoReply(t *testing.T) {
	t.Parallel()
	end := llm.Finish{Reason: llm.FinishStop}
	for name, chunks := range map[string][]llm.Chunk{
		"no chunk":                {nil, end},
		"a skipped index":         {llm.CallBegin{Index: 1, Name: "t"}, end},
		"arguments for no call":   {llm.CallArgs{Index: 0, Text: "{}"}, end},
		"a negative index":        {llm.CallEnd{Index: -1}, end},
		"arguments behind an end": append(call(0, "t", "{}"), llm.CallArgs{Index: 0, Text: "{}"}, end),
		"an unknown reason":       {llm.Finish{Reason: "length"}},
		"raw that is not JSON": {llm.Finish{Reason: llm.FinishStop, Raw: &llm.Opaque{Origin: "v",
			Data: json.RawMessage("{")}}},
	} {
		_, err := llm.Collect(stream(nil, chunks...), nil)
		requireKind(t, events.ModelIncomplete, err)
		require.Error(t, err, name)
	}
}

func TestTextIsValidUTF8BeforeItsDigestIsTaken(t *testing.T) {
	t.Parallel()
	r, err := llm.Collect(stream(nil, llm.TextDelta("a\xff\xe2\x82"), llm.TextDelta("\xac"),
		llm.Finish{Reason: llm.FinishStop}), nil)
	require.NoError(t, err)
	require.Equal(t, "a\uFFFD€", r.Text)
}

func TestUnreportedUsageIsMarkedAsAnEstimate(t *testing.T) {
	t.Parallel()
	r, err := llm.Collect(stream(nil, llm.TextDelta("12345"), llm.Finish{Reason: llm.FinishStop}), nil)
	require.NoError(t, err)
	require.Equal(t, events.Usage{Output: 2, Estimated: true}, r.Usage)
}

func TestACallThatTheAdapterSaysCannotRunIsMalformed(t *testing.T) {
	t.Parallel()
	r, err := llm.Collect(stream(nil,
		llm.CallBegin{Index: 0, Name: "t"}, llm.CallArgs{Index: 0, Text: `{"a":1}`},
		llm.CallEnd{Index: 0, Malformed: "it has no mark"}, llm.CallBegin{Index: 1},
		llm.CallEnd{Index: 1, Malformed: "no name"},
		llm.Finish{Reason: llm.FinishStop}), nil)
	require.NoError(t, err)
	require.Equal(t, []events.ToolCall{{Name: "t", Args: []byte("{}"), Malformed: "it has no mark"},
		{Name: "unnamed", Args: []byte("{}"), Malformed: "no name"}}, r.Calls)
}

func TestCountsThatCannotBeTrueAreBroughtIntoBounds(t *testing.T) {
	t.Parallel()
	cost := func(micro int64) *int64 { return &micro }
	for name, c := range map[string]struct{ told, want events.Usage }{
		"true": {events.Usage{Input: 3, Output: 2, Thinking: 2, CacheWrite: 4, CacheWriteHour: 4,
			CostMicroDollars: cost(7)}, events.Usage{Input: 3, Output: 2, Thinking: 2, CacheWrite: 4, CacheWriteHour: 4,
			CostMicroDollars: cost(7)}},
		"negative": {events.Usage{Input: -3, Output: 2, CacheRead: -1, CacheWrite: -9},
			events.Usage{Output: 2, Estimated: true}},
		"the most": {events.Usage{Input: llm.MaxTokens, CostMicroDollars: cost(llm.MaxCost)},
			events.Usage{Input: llm.MaxTokens, CostMicroDollars: cost(llm.MaxCost)}},
		"more than the most": {events.Usage{Input: llm.MaxTokens + 1, Output: 1<<63 - 1},
			events.Usage{Input: llm.MaxTokens, Output: llm.MaxTokens, Estimated: true}},
		"a part over its whole": {events.Usage{Output: 2, Thinking: 3, CacheWrite: 1, CacheWriteHour: 2},
			events.Usage{Output: 2, Thinking: 2, CacheWrite: 1, CacheWriteHour: 1, Estimated: true}},
		"money back": {events.Usage{Output: 2, CostMicroDollars: cost(-1)}, events.Usage{Output: 2,
			Estimated: true}},
		"more money than there can be": {events.Usage{Output: 2, CostMicroDollars: cost(llm.MaxCost + 1)},
			events.Usage{Output: 2, Estimated: true}},
	} {
		r, err := llm.Collect(stream(nil, llm.Usage(c.told), llm.Finish{Reason: llm.FinishStop}), nil)
		require.NoError(t, err, name)
		require.Equal(t, c.want, r.Usage, name)
		failed, err := llm.Collect(stream(nil, llm.Usage(c.told)), nil)
		requireKind(t, events.ModelIncomplete, err)
		require.Equal(t, c.want, failed.Usage, name)
	}
}

func TestWhatIsNestedTooDeepToBeWrappedIsNoReply(t *testing.T) {
	t.Parallel()
	nested := func(depth int) string {
		return `{"a":` + strings.Repeat("[", depth-1) + `"[[\"[["` + strings.Repeat("]", depth-1) + `}`
	}
	for depth, fits := range map[int]bool{llm.MaxDepth: true, llm.MaxDepth + 1: false, 9_997: false} {
		r, err := llm.Collect(stream(nil, append(call(0, "t", nested(depth)), llm.Finish{Reason: llm.FinishStop})...), nil)
		require.NoError(t, err)
		require.Equal(t, fits, r.Calls[0].Malformed == "", depth)
		if !fits {
			require.Contains(t, r.Calls[0].Malformed, "nested more than 128 levels deep")
			require.JSONEq(t, "{}", string(r.Calls[0].Args))
		}

		raw := &llm.Opaque{Origin: "v:m", Data: json.RawMessage(nested(depth - 1))} // and one around it
		r, err = llm.Collect(stream(nil, llm.TextDelta("hi"), llm.Finish{Reason: llm.FinishStop, Raw: raw}), nil)
		if fits {
			require.NoError(t, err)
			require.NotEmpty(t, r.Raw)
			continue
		}
		requireKind(t, events.ModelIncomplete, err)
	}
}

func TestTheNameOfAModelIsOneBoundedLine(t *testing.T) {
	t.Parallel()
	for told, want := range map[string]string{
		"m-1": "m-1", strings.Repeat("m", llm.MaxModelName): strings.Repeat("m", llm.MaxModelName),
		strings.Repeat("m", llm.MaxModelName+1): strings.Repeat("m", llm.MaxModelName),
		"m\x1b[2J\n\u202ex\xff":                 "m[2Jx",
	} {
		r, err := llm.Collect(stream(nil, llm.Finish{Reason: llm.FinishStop, Model: told}), nil)
		require.NoError(t, err)
		require.Equal(t, want, r.Model)
	}
}
