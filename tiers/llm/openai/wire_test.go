package openai_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/openai"
)

// says is a provider of the named server whose answer is these events.
func says(t *testing.T, name string, stream ...string) openai.Provider {
	t.Helper()
	h := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for _, data := range stream {
			_, _ = io.WriteString(w, "data: "+data+"\n\n")
		}
	}))
	t.Cleanup(h.Close)
	server, ok := openai.Find(name)
	if !ok {
		server = openai.Generic(name)
	}
	return openai.Provider{Server: server, Endpoint: llm.Endpoint{BaseURL: h.URL, Key: "key-0123456789"}}
}

func delta(fields string) string { return `{"choices":[{"index":0,"delta":` + fields + `}]}` }

func piece(fields string) string { return delta(`{"tool_calls":[{` + fields + `}]}`) }

const stop = `{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`

func TestCallsAreReadHoweverServersWriteThem(t *testing.T) {
	t.Parallel()
	for name, stream := range map[string][]string{
		"in pieces by index": {
			piece(`"index":0,"id":"a","function":{"name":"f","arguments":""}`),
			piece(`"index":0,"function":{"arguments":"{\"x\":"}`), piece(`"index":0,"function":{"arguments":"1}"}`),
			piece(`"index":1,"id":"b","function":{"name":"g","arguments":"{}"}`),
		},
		"all under index 0, each with its id": {piece(`"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\":1}"}`),
			piece(`"index":0,"id":"b","function":{"name":"g","arguments":"{}"}`)},
		"arguments as an object": {piece(`"index":0,"id":"a","function":{"name":"f","arguments":{"x":1}}`),
			piece(`"index":0,"id":"b","function":{"name":"g","arguments":{}}`)},
		"the id and name with every piece": {
			piece(`"index":0,"id":"a","function":{"name":"f","arguments":"{\"x\""}`),
			piece(`"index":0,"id":"a","function":{"name":"f","arguments":":1}"}`),
			piece(`"index":1,"id":"b","function":{"name":"g","arguments":"{}"}`),
		},
		"without an index": {piece(`"id":"a","function":{"name":"f","arguments":"{\"x\""}`),
			piece(`"function":{"arguments":":1}"}`), piece(`"id":"b","function":{"name":"g","arguments":"{}"}`)},
		"without an id": {piece(`"index":0,"function":{"name":"f","arguments":"{\"x\":1}"}`),
			piece(`"index":0,"function":{"name":"g","arguments":"{}"}`)},
		"mixed": {piece(`"index":1,"id":"a","function":{"name":"f","arguments":"{\"x\""}`),
			piece(`"index":0,"id":"b","function":{"name":"g"}`), piece(`"index":1,"function":{"arguments":":1}"}`),
			piece(`"index":0,"function":{"arguments":null}`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reply, err := ask(t, says(t, "own", append(stream, stop, "[DONE]")...), asking(user("Go.")))
			require.NoError(t, err)
			require.Equal(t, llm.FinishToolCalls, reply.Finish, "whatever the reason says")
			require.Len(t, reply.Calls, 2)
			require.Equal(t, "f", reply.Calls[0].Name)
			require.JSONEq(t, `{"x":1}`, string(reply.Calls[0].Args))
			require.Equal(t, "g", reply.Calls[1].Name)
			require.JSONEq(t, `{}`, string(reply.Calls[1].Args))
		})
	}
}

func TestOnlyAKnownReasonEndsAReply(t *testing.T) {
	t.Parallel()
	finish := func(reason string) string { return strings.Replace(stop, `"stop"`, reason, 1) }
	text := delta(`{"content":"half"}`)
	for name, c := range map[string]struct {
		stream []string
		kind   string
	}{
		"nothing":           {nil, events.ModelIncomplete},
		"a clean end":       {[]string{text}, events.ModelIncomplete},
		"[DONE] alone":      {[]string{text, "[DONE]"}, events.ModelIncomplete},
		"no reason":         {[]string{text, finish(`null`), "[DONE]"}, events.ModelIncomplete},
		"an unknown reason": {[]string{text, finish(`"abort"`), "[DONE]"}, events.ModelIncomplete},
		"no resources":      {[]string{text, finish(`"insufficient_system_resource"`)}, events.ModelOverloaded},
		"a filter":          {[]string{text, finish(`"content_filter"`)}, events.ModelRefused},
		"a refusal":         {[]string{delta(`{"refusal":"No."}`), stop}, events.ModelRefused},
		"no chunk":          {[]string{text, `{"choices":`, stop}, events.ModelIncomplete},
		"an error's text":   {[]string{text, `{"error":"boom"}`, stop}, events.ModelOverloaded},
		"an error's number": {[]string{text, `{"error":{"message":"m","code":429}}`, stop}, events.ModelRateLimited},
		"an error's code": {[]string{text, `{"error":{"message":"m","code":"context_length_exceeded"}}`},
			events.ModelContextTooLong},
		"an error's type": {[]string{text, `{"error":{"message":"m","type":"invalid_request_error"}}`},
			events.ModelInvalidRequest},
		"a flat error": {
			[]string{`{"object":"error","message":"This model's maximum context length is 9 tokens","code":400}`},
			events.ModelContextTooLong},
		"an error of no form": {[]string{`{"error":[1]}`}, events.ModelOverloaded},
		"an error of MiniMax": {[]string{`{"base_resp":{"status_code":1008,"status_msg":"insufficient balance"}}`},
			events.ModelAuth},
		"an error at the end": {[]string{text, stop, `{"error":{"message":"m"}}`}, events.ModelOverloaded},
		"one call too many":   {manyCalls(llm.MaxCalls + 1), events.ModelIncomplete},
		"too much was thought": {[]string{delta(`{"reasoning_content":"` + strings.Repeat("x", llm.MaxRaw+1) + `"}`), stop},
			events.ModelIncomplete},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reply, err := ask(t, says(t, "deepseek", c.stream...), asking(user("Go.")))
			var failed *llm.Error
			require.ErrorAs(t, err, &failed)
			require.Equal(t, c.kind, failed.Kind, failed.Message)
			require.Empty(t, reply.Text+string(reply.Raw), "no half answer")
		})
	}
}

func manyCalls(n int) []string {
	var out []string
	for i := range n {
		out = append(out, piece(fmt.Sprintf(`"index":%d,"id":"c%d","function":{"name":"f","arguments":"{}"}`, i, i)))
	}
	return append(out, stop)
}

func TestOddChunksAreNoErrors(t *testing.T) {
	t.Parallel()
	reply, err := ask(t, says(t, "minimax",
		`{"error":null,"base_resp":{"status_code":0,"status_msg":""},"choices":[{"index":0,"delta":{"content":"a \"error\" b"}}]}`, `{"choices":null}`, `{"choices":[{"index":1,"delta":{"content":"another"}}]}`, `{}`,
		delta(`{"content":null,"reasoning_details":{"no":"list"},"reasoning_content":7}`), stop), asking(user("Go.")))
	require.NoError(t, err)
	require.Equal(t, `a "error" b`, reply.Text)
	require.Nil(t, reply.Raw)
	require.True(t, reply.Usage.Estimated)
	reply, err = ask(t, says(t, "own", manyCalls(llm.MaxCalls)...), asking(user("Go.")))
	require.NoError(t, err)
	require.Len(t, reply.Calls, llm.MaxCalls)
}

func TestUsageIsCountedInOurSense(t *testing.T) {
	t.Parallel()
	cost := int64(1500)
	for raw, want := range map[string]events.Usage{
		`{"prompt_tokens":100,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":64,"cache_write_tokens":10},"completion_tokens_details":{"reasoning_tokens":3}}`: {Input: 26, CacheRead: 64, CacheWrite: 10, Output: 7, Thinking: 3},
		`{"prompt_tokens":100,"completion_tokens":7,"prompt_cache_hit_tokens":64,"prompt_cache_miss_tokens":36}`:                                                              {Input: 36, CacheRead: 64, Output: 7},
		`{"prompt_tokens":100,"completion_tokens":7,"total_tokens":110,"completion_tokens_details":{"reasoning_tokens":3}}`:                                                   {Input: 100, Output: 10, Thinking: 3},
		`{"prompt_tokens":100,"completion_tokens":7,"prompt_tokens_details":null,"cost":0.0015}`:                                                                              {Input: 100, Output: 7, CostMicroDollars: &cost},
		`{"prompt_tokens":10,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":64,"cache_write_tokens":-4},"cost":-1}`:                                           {CacheRead: 10, Output: 7},
	} {
		for _, stream := range [][]string{
			{stop, `{"choices":[],"usage":` + raw + `}`, "[DONE]"},
			{strings.Replace(stop, `"index"`, `"usage":`+raw+`,"index"`, 1)},
			{`{"choices":[{"index":0,"delta":{"content":"a"}}],"usage":{"prompt_tokens":1,"completion_tokens":1}}`,
				strings.Replace(stop, `{"choices"`, `{"usage":`+raw+`,"choices"`, 1)},
		} {
			reply, err := ask(t, says(t, "own", stream...), asking(user("Go.")))
			require.NoError(t, err)
			require.Equal(t, want, reply.Usage, raw)
		}
	}
}

func TestThoughtsInDetailsAreJoined(t *testing.T) {
	t.Parallel()
	d := func(s string) string { return delta(`{"reasoning":"x","reasoning_details":[` + s + `]}`) }
	reply, err := ask(t, says(t, "openrouter",
		d(`{"type":"reasoning.text","index":0,"text":"a<","big":12345678901234567890}`),
		d(`{"type":"reasoning.text","index":0,"text":"b","signature":null}`),
		d(`{"type":"reasoning.text","index":0,"signature":"s"}`),
		d(`{"type":"reasoning.encrypted","index":1,"data":"e"},{"type":"reasoning.encrypted","data":"no index"},{"type":"reasoning.encrypted","data":"nor this"}`), stop), asking(user("Go.")))
	require.NoError(t, err)
	var raw llm.Opaque
	require.NoError(t, json.Unmarshal(reply.Raw, &raw))
	require.Equal(t, "openrouter:"+model, raw.Origin)
	require.Contains(t, string(raw.Data), `"big":12345678901234567890`)
	require.JSONEq(t, `{"reasoning_details":[{"type":"reasoning.text","index":0,"text":"a<b","big":12345678901234567890,"signature":"s"},
		{"type":"reasoning.encrypted","index":1,"data":"e"},{"type":"reasoning.encrypted","data":"no index"},{"type":"reasoning.encrypted","data":"nor this"}]}`, string(raw.Data))
}

func TestThoughtsInManyPiecesAreReadInBoundedWork(t *testing.T) {
	t.Parallel()
	d := func(s string) string { return delta(`{"reasoning_details":[` + s + `]}`) }
	const pieces = 8_000 // joined anew for each piece, they are half a gigabyte of work
	grown := slices.Repeat([]string{d(`{"type":"reasoning.text","index":0,"text":"0123456789"}`)}, pieces)
	reply, err := ask(t, says(t, "openrouter", append(grown, stop)...), asking(user("Go.")))
	require.NoError(t, err)
	require.Contains(t, string(reply.Raw), strings.Repeat("0123456789", pieces))

	for n, kind := range map[int]string{4096: "", 4097: events.ModelIncomplete} {
		many := d(strings.TrimSuffix(strings.Repeat("{},", n), ","))
		_, err := ask(t, says(t, "openrouter", many, stop), asking(user("Go.")))
		if kind == "" {
			require.NoError(t, err)
			continue
		}
		require.Equal(t, kind, llm.AsError(err).Kind)
	}
}

func TestACallWhosePiecesRepeatItsNameIsReadInBoundedWork(t *testing.T) {
	t.Parallel()
	piece := func(args string) string {
		return delta(`{"tool_calls":[{"index":0,"function":{"name":"t","arguments":` + strconv.Quote(args) + `}}]}`)
	}
	pieces := slices.Concat([]string{piece(`{"a":"`)}, slices.Repeat([]string{piece("}}}}}}}}}}")}, 3_000),
		[]string{piece(`"}`), stop})
	reply, err := ask(t, says(t, "openai", pieces...), asking(user("Go.")))
	require.NoError(t, err)
	require.Len(t, reply.Calls, 1)
	require.Empty(t, reply.Calls[0].Malformed)
}
