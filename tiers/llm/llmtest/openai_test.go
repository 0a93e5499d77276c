package llmtest_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tiers/llm/llmtest"
)

// toOpenAI sends a body and is the status and the answer.
func toOpenAI(t *testing.T, s *llmtest.Server, path, key, body string) (int, string) {
	t.Helper()
	if key == "" {
		return send(t, s, http.MethodPost, path, []byte(body))
	}
	return send(t, s, http.MethodPost, path, []byte(body), "Authorization", "Bearer "+key)
}

const (
	goodCall   = `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}]}`
	goodResult = `{"role":"tool","tool_call_id":"c1","content":"x"}`
	goodUser   = `{"role":"user","content":"u"}`
)

// chat is a body with these messages and further fields.
func chat(messages string, more ...string) string {
	return `{"model":"gpt-5-mini","stream":true,"messages":[` + messages + `]` + strings.Join(append([]string{""},
		more...), ",") + `}`
}

func tools(n int, name, schema string) string {
	var all []string
	for i := range n {
		all = append(all, fmt.Sprintf(`{"type":"function","function":{"name":"%s%d","parameters":%s}}`, name, i, schema))
	}
	return `"tools":[` + strings.Join(all, ",") + `]`
}

func TestChatCompletionsRefuseWhatTheRealOnesRefuse(t *testing.T) {
	t.Parallel()
	withCall := func(call string) string {
		return chat(goodUser + `,{"role":"assistant","content":null,"tool_calls":[` + call + `]},` + goodResult)
	}
	for _, c := range []struct{ name, flavour, body, says string }{
		{"no JSON", "vllm", `{`, "could not parse"},
		{"no messages", "openai", chat(``), "empty array"},
		{"no stream", "openai", `{"model":"gpt-5-mini","messages":[` + goodUser + `]}`, "only streams"},
		{"unknown model", "openai", strings.Replace(chat(goodUser), "gpt-5-mini", "gpt-0", 1), "does not exist"},
		{"unknown field", "openai", chat(goodUser, `"thinking":{"type":"enabled"}`), "Unrecognized request argument"},
		{"reasoning to a server that knows none", "openai",
			chat(goodUser + `,{"role":"assistant","content":"a","reasoning_content":"r"},` + goodUser), "Unknown parameter"},
		{"max_tokens", "openai", chat(goodUser, `"max_tokens":5`), "max_completion_tokens"},
		{"max_completion_tokens of nothing", "openai", chat(goodUser, `"max_completion_tokens":0`), "at least 1"},
		{"a temperature for a model that thinks", "openai", chat(goodUser, `"temperature":0.5`), "Only the default (1)"},
		{"top_p for a model that thinks", "openai", chat(goodUser, `"top_p":0.5`), "'top_p' is not supported"},
		{"no thinking of a model that cannot do without", "openai", chat(goodUser, `"reasoning_effort":"none"`),
			"Supported values are: [minimal low medium high]"},
		{"too many tools", "openai", chat(goodUser, tools(129, "f", `{"type":"object"}`)), "too long"},
		{"a tool's name", "openai", chat(goodUser, tools(1, "f.", `{"type":"object"}`)), "pattern"},
		{"a tool twice", "openai",
			chat(goodUser, `"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}},{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]`), "unique"},
		{"a schema of no object", "openai", chat(goodUser, tools(1, "f", `{"type":"string"}`)), "type 'object'"},
		{"parallel calls of no tools", "openai", chat(goodUser, `"parallel_tool_calls":true`), "only allowed when"},
		{"a result without a call", "openai", chat(goodUser + `,` + goodResult), "preceeding message"},
		{"a result of another call", "openai", chat(goodUser + `,` + goodCall + `,` + strings.Replace(goodResult, "c1", "c2",
			1)), "preceeding message"},
		{"a result twice", "openai", chat(goodUser + `,` + goodCall + `,` + goodResult + `,` + goodResult),
			"preceeding message"},
		{"a call without a result", "openai", chat(goodUser + `,` + goodCall + `,` + goodUser), "did not have response"},
		{"a call at the end", "openai", chat(goodUser + `,` + goodCall), "did not have response"},
		{"a call's id twice", "openai",
			withCall(`{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}},{"id":"c1","type":"function","function":{"name":"f","arguments":"{}"}}`), "Duplicate"},
		{"a call's id too long", "openai", strings.ReplaceAll(chat(goodUser+`,`+goodCall+`,`+goodResult), "c1",
			strings.Repeat("c", 41)), "tool_calls[0].id"},
		{"a call's name", "openai", withCall(`{"id":"c1","type":"function","function":{"name":"a b","arguments":"{}"}}`),
			"pattern"},
		{"arguments that are not JSON", "openai",
			withCall(`{"id":"c1","type":"function","function":{"name":"f","arguments":"{"}}`), "Failed to parse"},
		{"calls of the user", "openai", chat(strings.Replace(goodCall, "assistant", "user", 1) + `,` + goodResult),
			"only allowed for role"},
		{"an unknown role", "deepseek", chat(`{"role":"developer","content":"d"},` + goodUser), "Supported values"},
		{"a late system message", "llama", chat(goodUser + `,{"role":"system","content":"s"}`), "at the beginning"},
		{"content in parts of the assistant", "openai", chat(goodUser + `,{"role":"assistant","content":[{"type":"text",` +
			`"text":"a"}]},` + goodUser), "expected a string"},
		{"a part of another type", "openai", chat(`{"role":"user","content":[{"type":"video"}]}`), "'video'"},
		{"an image at an address", "openai",
			chat(`{"role":"user","content":[{"type":"image_url","image_url":{"url":"http://a"}}]}`), "loads no images"},
		{"an image of another type", "openai", chat(`{"role":"user","content":[{"type":"image_url","image_url":` +
			`{"url":"data:image/png;base64,/9j/AQEB"}}]}`), "appears to be image/jpeg"},
		{"no content", "openai", chat(goodUser + `,{"role":"assistant"},` + goodUser), "expected a string"},
		{"an empty user", "openai", chat(`{"role":"user","content":""}`), "must not be empty"},
		{"calls alone", "grok", chat(goodUser + `,` + goodCall + `,` + goodResult), "at least one content element"},
		{"empty results", "grok", chat(goodUser + `,` + strings.Replace(goodCall, "null", `"a"`, 1) + `,` +
			strings.Replace(goodResult, `"x"`, `""`, 1)), "at least one content element"},
		{"calls without reasoning", "deepseek", chat(goodUser + `,` + goodCall + `,` + goodResult), "reasoning_content"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := llmtest.OpenAI(t, c.flavour, llmtest.Options{Turns: []llmtest.Turn{{Text: "ok"}}})
			status, said := toOpenAI(t, s, "/v1/chat/completions", llmtest.Key, c.body)
			require.GreaterOrEqual(t, status, 400, said)
			require.Contains(t, said, c.says)
			require.Len(t, s.Refused(), 1)
			require.Empty(t, s.Requests())
		})
	}
}

func TestChatCompletionsTakeWhatTheRealOnesTake(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ flavour, body string }{
		{"openai", chat(`{"role":"developer","content":"s"},`+goodUser+`,`+goodCall+`,`+goodResult,
			tools(128, "f", `{"type":"object"}`), `"max_completion_tokens":1`)},
		{"deepseek", chat(goodUser + `,` + strings.Replace(goodCall, `"content":null`,
			`"content":null,"reasoning_content":""`, 1) + `,` + goodResult)},
		{"deepseek", chat(goodUser+`,`+goodCall+`,`+goodResult, `"thinking":{"type":"disabled"}`)},
		{"grok", chat(goodUser + `,` + strings.Replace(goodCall, "null", `"a"`, 1) + `,` + goodResult)},
	} {
		s := llmtest.OpenAI(t, c.flavour, llmtest.Options{Turns: []llmtest.Turn{{Text: "ok"}}})
		status, said := toOpenAI(t, s, "/v1/chat/completions", llmtest.Key, c.body)
		require.Equal(t, http.StatusOK, status, said)
		require.True(t, strings.HasSuffix(said, "data: [DONE]\n\n"))
	}
}

func TestOpenAIChecksKeysAndPaths(t *testing.T) {
	t.Parallel()
	strict := llmtest.OpenAI(t, "openai", llmtest.Options{})
	for _, key := range []string{"", "another-key-012345"} {
		status, said := toOpenAI(t, strict, "/v1/chat/completions", key, chat(goodUser))
		require.Equal(t, http.StatusUnauthorized, status)
		require.Contains(t, said, "invalid_api_key")
	}
	status, _ := toOpenAI(t, strict, "/v1/completions", llmtest.Key, chat(goodUser))
	require.Equal(t, http.StatusNotFound, status)
	local := llmtest.OpenAI(t, "llama", llmtest.Options{Turns: []llmtest.Turn{{Text: "ok"}}})
	status, _ = toOpenAI(t, local, "/v1/chat/completions", "", chat(goodUser))
	require.Equal(t, http.StatusOK, status)
	status, _ = toOpenAI(t, local, "/v1/responses", "", `{}`)
	require.Equal(t, http.StatusNotFound, status, "Responses are OpenAI's own")
}

func TestOpenAIListsItsModels(t *testing.T) {
	t.Parallel()
	s := llmtest.OpenAI(t, "openai", llmtest.Options{Models: []string{"m1", "m2"}})
	_, list := send(t, s, http.MethodGet, "/v1/models", nil, "Authorization", "Bearer "+llmtest.Key)
	var got struct{ Data []struct{ ID string } }
	require.NoError(t, json.Unmarshal([]byte(list), &got))
	require.Len(t, got.Data, 2)
	require.Equal(t, "m2", got.Data[1].ID)
}

func TestOpenAICachesBeginningsInStepsOf128Tokens(t *testing.T) {
	t.Parallel()
	s := llmtest.OpenAI(t, "openai", llmtest.Options{Answer: func(llmtest.View) llmtest.Turn {
		return llmtest.Turn{Text: "ok"}
	}})
	cached := func(text string) int64 {
		_, said := toOpenAI(t, s, "/v1/chat/completions", llmtest.Key, chat(`{"role":"user","content":"`+text+`"}`,
			`"stream_options":{"include_usage":true}`))
		lines := strings.Split(strings.TrimSpace(said), "\n\n")
		var chunk struct {
			Usage struct {
				Details struct {
					Cached int64 `json:"cached_tokens"`
				} `json:"prompt_tokens_details"`
			}
		}
		require.NoError(t, json.Unmarshal([]byte(strings.TrimPrefix(lines[len(lines)-2], "data: ")), &chunk))
		return chunk.Usage.Details.Cached
	}
	long := strings.Repeat("word", 1200)
	require.Zero(t, cached(long), "nothing was there before")
	require.EqualValues(t, 1152, cached(long+"more"))
	require.Zero(t, cached("short"))
	require.Zero(t, cached("short"), "too short to be cached")
}

func TestResponsesPlayWhatCodexReads(t *testing.T) {
	t.Parallel()
	s := llmtest.OpenAI(t, "openai", llmtest.Options{Turns: []llmtest.Turn{
		{Thinking: "Hm.", Text: "I look.", Calls: []llmtest.Call{{ID: "c1", Name: "shell", Args: `{"command":["ls"]}`}}},
		{Text: "Done."},
	}})
	ask := func(input string) string {
		status, said := toOpenAI(t, s, "/v1/responses", llmtest.Key,
			`{"model":"gpt-5-mini","instructions":"Be brief.","stream":true,"store":false,"include":["reasoning.encrypted_content"],`+
				`"tools":[{"type":"function","name":"shell","strict":false,"parameters":{}},{"type":"local_shell"}],"input":[`+
				input+`]}`)
		require.Equal(t, http.StatusOK, status, said)
		return said
	}
	hello := `{"type":"message","role":"user","content":[{"type":"input_text","text":"Look."}]}`
	first := ask(hello)
	var names []string
	for line := range strings.Lines(first) {
		if name, ok := strings.CutPrefix(line, "event: response."); ok {
			names = append(names, strings.TrimSpace(name))
		}
	}
	require.Equal(t, "created", names[0])
	require.Equal(t, "completed", names[len(names)-1])
	require.Contains(t, names, "output_text.delta")
	require.Contains(t, first, `"arguments":"{\"command\":[\"ls\"]}","call_id":"c1"`)
	require.Contains(t, first, `"encrypted_content":"Hm.sig_`)
	second := ask(hello +
		`,{"type":"function_call","name":"shell","call_id":"c1","arguments":"{}"},{"type":"function_call_output","call_id":"c1","output":"a.go"}`)
	require.Contains(t, second, `"total_tokens"`)
	v := s.Requests()[1]
	require.Equal(t, "Be brief.", v.System)
	require.Equal(t, "a.go", v.Newest())
	require.Equal(t, []string{"shell", "local_shell"}, v.Tools)
}

func TestResponsesRefuseWhatTheRealOnesRefuse(t *testing.T) {
	t.Parallel()
	hello := `{"type":"message","role":"user","content":"u"}`
	call := `{"type":"function_call","name":"f","call_id":"c1","arguments":"{}"}`
	result := `{"type":"function_call_output","call_id":"c1","output":"x"}`
	body := func(input, more string) string {
		return `{"model":"gpt-5-mini","stream":true` + more + `,"input":[` + input + `]}`
	}
	for _, c := range []struct{ name, body, says string }{
		{"no JSON", `{`, "could not parse"},
		{"unknown model", strings.Replace(body(hello, ""), "gpt-5-mini", "gpt-0", 1), "does not exist"},
		{"no stream", strings.Replace(body(hello, ""), "true", "false", 1), "only streams"},
		{"no input", body("", ""), "must be provided"},
		{"an image of the assistant", body(hello+`,{"type":"message","role":"assistant","content":[{"type":"input_image"}]},`+
			hello, ""), "only users have images"},
		{"an image that is none", body(`{"type":"message","role":"user","content":[{"type":"input_image","detail":"high",`+
			`"image_url":"data:image/png;base64,!"}]}`, ""), "not valid base64"},
		{"an image looked at in another way", body(`{"type":"message","role":"user","content":[{"type":"input_image",`+
			`"detail":"closely","image_url":"data:image/jpeg;base64,/9j/AQEB"}]}`, ""), "detail is not known"},
		{"a previous response", body(hello, `,"previous_response_id":"resp_0"`), "not found"},
		{"a tool's name", body(hello, `,"tools":[{"type":"function","name":"a b"}]`), "pattern"},
		{"a call's id too long", body(hello+`,`+strings.ReplaceAll(call+`,`+result, `"c1"`, `"`+strings.Repeat("c", 65)+`"`),
			""), "maximum length 64"},
		{"a call without an id", body(hello+`,`+strings.Replace(call, `"c1"`, `""`, 1), ""), "Missing required"},
		{"an output without a call", body(hello+`,`+result, ""), "No tool call found"},
		{"a call without an output", body(hello+`,`+call, ""), "No tool output found"},
		{"few output tokens", body(hello, `,"max_output_tokens":15`), "below minimum value"},
		{"a strict schema that is open",
			body(hello, `,"tools":[{"type":"function","name":"f","parameters":{"type":"object"}}]`),
			"'additionalProperties' is required"},
		{"a temperature", body(hello, `,"temperature":1`), "'temperature' is not supported"},
		{"top_p", body(hello, `,"top_p":1`), "'top_p' is not supported"},
		{"an unknown effort", body(hello, `,"reasoning":{"effort":"none"}`), "Supported values are"},
		{"an id without a store", body(hello+`,{"type":"message","id":"msg_1","role":"assistant","content":"a"}`,
			`,"store":false`), "not persisted"},
		{"foreign reasoning", body(hello+`,{"type":"reasoning","encrypted_content":"x"},`+call+`,`+result, ""),
			"could not be verified"},
		{"arguments that are not JSON", body(hello+`,`+strings.Replace(call, `"{}"`, `"{"`, 1)+`,`+result, ""),
			"expected JSON"},
		{"an empty reply", body(hello+`,{"type":"message","role":"assistant","content":""}`, ""), "empty text"},
		{"an unknown role", body(strings.Replace(hello, "user", "tool", 1), ""), "Invalid value"},
	} {
		s := llmtest.OpenAI(t, "openai", llmtest.Options{Turns: []llmtest.Turn{{Text: "ok"}}})
		status, said := toOpenAI(t, s, "/v1/responses", llmtest.Key, c.body)
		require.GreaterOrEqual(t, status, 400, c.name)
		require.Contains(t, said, c.says, c.name)
	}
}
