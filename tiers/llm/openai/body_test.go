package openai_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	sdk "github.com/openai/openai-go/v3"
	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/llmtest"
	"manualslop/tiers/llm/openai"
)

func body(t *testing.T, server openai.Server, r llm.Request) string {
	t.Helper()
	raw, err := openai.Provider{Server: server}.Body(r)
	require.NoError(t, err)
	return string(raw)
}

func find(t *testing.T, name string) openai.Server {
	t.Helper()
	s, ok := openai.Find(name)
	require.True(t, ok, name)
	return s
}

func TestTheBodyIsFixedToTheByte(t *testing.T) {
	t.Parallel()
	half := 0.5
	r := asking(user("Is a < b?"))
	r.Params = events.ModelParams{Temperature: &half, MaxOutputTokens: 9, Effort: "off"}
	r.Messages = append(r.Messages,
		llm.Message{Role: llm.RoleAssistant, Blocks: []llm.Block{llm.Call{ID: "01J-0", Name: "read file!",
			Args: json.RawMessage(`{"path":"a"}`)}}},
		llm.Message{Role: llm.RoleTool, Blocks: []llm.Block{llm.Result{Call: "01J-0", Name: "read_file"},
			llm.Text("[SYSTEM: FILES UPDATED]")}})
	require.Equal(t, `{"model":"gpt-5-mini","messages":[{"role":"developer","content":"You are terse."},{"role":"user","content":"Is a < b?"},`+
		`{"role":"assistant","content":null,"tool_calls":[{"id":"01J-0","type":"function","function":{"name":"read_file_","arguments":"{\"path\":\"a\"}"}}]},`+
		`{"role":"tool","content":"(no output)\n\n[SYSTEM: FILES UPDATED]","tool_call_id":"01J-0"}],`+
		`"tools":[{"type":"function","function":{"name":"read_file","description":"Reads a file.","parameters":{"type":"object","properties":{"path":{"type":"string"}}}}}],`+
		`"max_completion_tokens":9,"stream":true,"stream_options":{"include_usage":true},"reasoning_effort":"minimal"}`,
		body(t, find(t, "openai"), r))
}

func TestTheVendorsLibraryUnderstandsTheBody(t *testing.T) {
	t.Parallel()
	r := asking(user("Go."))
	r.Params = events.ModelParams{MaxOutputTokens: 9, Effort: "low"}
	var params sdk.ChatCompletionNewParams
	require.NoError(t, json.Unmarshal([]byte(body(t, find(t, "openai"), r)), &params))
	require.Equal(t, model, params.Model)
	require.Len(t, params.Messages, 2)
	require.Equal(t, "Go.", params.Messages[1].OfUser.Content.OfString.Value)
	require.Equal(t, "read_file", params.Tools[0].OfFunction.Function.Name)
	require.EqualValues(t, 9, params.MaxCompletionTokens.Value)
	require.EqualValues(t, "low", params.ReasoningEffort)
}

func TestEachServerGetsItsOwnFields(t *testing.T) {
	t.Parallel()
	r := asking(user("Go."))
	r.Params = events.ModelParams{MaxOutputTokens: 9, Effort: "off"}
	for name, fields := range map[string][]string{
		"openai":     {`"role":"developer"`, `"max_completion_tokens":9`, `"reasoning_effort":"minimal"`},
		"deepseek":   {`"role":"system"`, `"max_tokens":9`, `"thinking":{"type":"disabled"}`},
		"grok":       {`"max_completion_tokens":9`, `"reasoning_effort":"none"`},
		"qwen":       {`"max_tokens":9`, `"parallel_tool_calls":true`, `"enable_thinking":false`},
		"llama":      {`"max_tokens":9`, `"reasoning_effort":"none"`},
		"minimax":    {`"max_completion_tokens":9`, `"reasoning_split":true`, `"thinking":{"type":"disabled"}`},
		"openrouter": {`"max_tokens":9`, `"reasoning":{"effort":"none"}`},
		"vllm":       {`"max_tokens":9`},
		"llama_cpp":  {`"parallel_tool_calls":true`},
	} {
		sent := body(t, find(t, name), r)
		for _, field := range fields {
			require.Contains(t, sent, field, name)
		}
		for _, server := range openai.Servers() {
			require.Len(t, server.Efforts, len(events.Efforts()), server.Name)
		}
	}
	require.NotContains(t, body(t, find(t, "qwen"), llm.Request{Model: model, Messages: []llm.Message{user("Go.")}}),
		"parallel_tool_calls", "there are no tools")
}

func TestModelsThatThinkGetNoTemperatureAndThinkTheLeastTheyCan(t *testing.T) {
	t.Parallel()
	half := 0.5
	r := asking(user("Go."))
	r.Params = events.ModelParams{Temperature: &half, TopP: &half, Effort: "off"}
	const samples = `"temperature":0.5,"top_p":0.5`
	for _, c := range []struct {
		server, model, off string
		samples            bool
	}{
		{"openai", "gpt-5-mini", "minimal", false}, {"openai", "o4-mini", "low", false},
		{"openai", "gpt-5-chat-latest", "none", true}, {"openai", "gpt-4.1", "none", true}, {"vllm", "gpt-5-mini", "none",
			true},
	} {
		r.Model = c.model
		sent := body(t, find(t, c.server), r)
		require.Equal(t, c.samples, strings.Contains(sent, samples), c.model)
		require.Contains(t, sent, `"reasoning_effort":"`+c.off+`"`, c.model)
	}
	r.Model, r.Params.Effort = "o3", "high"
	require.Contains(t, body(t, find(t, "openai"), r), `"reasoning_effort":"high"`)
}

func TestResponsesBodyStoresNothingAndKeepsWhatTheModelThought(t *testing.T) {
	t.Parallel()
	half := 0.5
	r := asking(user("Go."),
		llm.Message{Role: llm.RoleAssistant, Blocks: []llm.Block{llm.Opaque{Origin: "openai/responses:gpt-5.6",
			Data: json.RawMessage(
				`[{"type":"reasoning","summary":[],"encrypted_content":"e"},{"type":"function_call","call_id":"theirs","name":"read_file","arguments":"{\"path\":  \"a\"}"}]`)},
			llm.Call{ID: "ours", Name: "read_file", Args: json.RawMessage(`{"path":"a"}`)}}},
		llm.Message{Role: llm.RoleTool, Blocks: []llm.Block{llm.Result{Call: "ours", Name: "read_file", Text: "x"}}})
	r.Model, r.Params = "gpt-5.6", events.ModelParams{Temperature: &half, TopP: &half, Effort: "off", MaxOutputTokens: 1}
	require.JSONEq(t, `{"model":"gpt-5.6","instructions":"You are terse.","store":false,"stream":true,"include":["reasoning.encrypted_content"],
		"max_output_tokens":16,"reasoning":{"effort":"none"},
		"tools":[{"type":"function","strict":false,"name":"read_file","description":"Reads a file.","parameters":{"type":"object","properties":{"path":{"type":"string"}}}}],
		"input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"Go."}]},
			{"type":"reasoning","summary":[],"encrypted_content":"e"},
			{"type":"function_call","call_id":"theirs","name":"read_file","arguments":"{\"path\":  \"a\"}"},
			{"type":"function_call_output","call_id":"theirs","output":"x"}]}`, body(t, find(t, "openai"), r))

	long := r.Messages[2].Blocks[0].(llm.Opaque)
	long.Data = json.RawMessage(strings.Replace(string(long.Data), "theirs", strings.Repeat("x", 65), 1))
	r.Messages[2].Blocks[0] = long
	sent := body(t, find(t, "openai"), r)
	require.Contains(t, sent, `"call_id":"ours","name"`, "an id that the API does not take back gives way to ours")
	require.Contains(t, sent, `"call_id":"ours","output"`)
}

func TestChatCompletionsRefuseToolsOfModelsThatNeedResponses(t *testing.T) {
	t.Parallel()
	for model, refused := range map[string]bool{"gpt-5.6": true, "gpt-5.5": true, "gpt-5.4": false, "gpt-5-mini": false} {
		s := llmtest.OpenAI(t, "openai", llmtest.Options{Models: []string{model}, Turns: []llmtest.Turn{{Text: "Done."}}})
		p := at(t, s, "openai")
		p.Server.Families = nil // as if they were models of Chat Completions
		r := asking(user("Go."))
		r.Model = model
		_, err := ask(t, p, r)
		require.Equal(t, refused, err != nil, model)
	}
}

func TestWhatAServerCannotTakeIsNotSent(t *testing.T) {
	t.Parallel()
	with := func(n int, name string) llm.Request {
		r := asking(user("Go."))
		r.Tools = nil
		for i := range n {
			r.Tools = append(r.Tools, llm.Tool{Name: fmt.Sprintf("%s%d", name, i)})
		}
		return r
	}
	p := openai.Provider{Server: find(t, "openai")}
	_, err := p.Body(with(128, "f"))
	require.NoError(t, err)
	silent := find(t, "openai")
	silent.Efforts = nil
	thinking := asking(user("Go."))
	thinking.Params.Effort = "high"
	for says, try := range map[string]func() ([]byte, error){
		"at most 128 tools":        func() ([]byte, error) { return p.Body(with(129, "f")) },
		"not accept the tool name": func() ([]byte, error) { return p.Body(with(1, "f.")) },
		"1 to 64 letters":          func() ([]byte, error) { return p.Body(with(1, strings.Repeat("f", 64))) },
		"leave effort":             func() ([]byte, error) { return openai.Provider{Server: silent}.Body(thinking) },
	} {
		_, err := try()
		var failed *llm.Error
		require.ErrorAs(t, err, &failed)
		require.Equal(t, events.ModelInvalidRequest, failed.Kind)
		require.Contains(t, failed.Message, says)
	}
	_, err = llm.Collect(p.Stream(t.Context(), with(129, "f")), nil)
	require.ErrorContains(t, err, "at most 128 tools")
}

func TestWithoutAKeyOrAnAddressNothingIsSent(t *testing.T) {
	t.Parallel()
	_, err := ask(t, openai.Provider{Server: find(t, "deepseek")}, asking(user("Go.")))
	require.Equal(t, events.ModelAuth, llm.AsError(err).Kind)
	require.ErrorContains(t, err, "deepseek needs an API key")
	_, err = ask(t, openai.Provider{Server: openai.Generic("own")}, asking(user("Go.")))
	require.Equal(t, events.ModelInvalidRequest, llm.AsError(err).Kind)
	require.ErrorContains(t, err, "base_url")
}

// TestARepeatedIDIsTheServersOnce keeps the beginning of a conversation as it
// was, although its server gave the same id again.
func TestARepeatedIDIsTheServersOnce(t *testing.T) {
	t.Parallel()
	own := func(number string) []llm.Message {
		data := `{"reasoning_content":"r","tool_calls":[{"id":"same","type":"function","function":{"name":"f","arguments":"{\"a\": 1}"}}]}`
		return []llm.Message{
			{Role: llm.RoleAssistant, Blocks: []llm.Block{llm.Opaque{Origin: "deepseek:" + model, Data: json.RawMessage(data)},
				llm.Call{ID: number + "-0", Name: "f", Args: json.RawMessage(`{"a":1}`)}}},
			{Role: llm.RoleTool, Blocks: []llm.Block{llm.Result{Call: number + "-0", Name: "f", Text: "x"}}},
		}
	}
	first := asking(append([]llm.Message{user("Go.")}, own("01A")...)...)
	second := asking(append(first.Messages[1:], own("01B")...)...)
	server := find(t, "deepseek")
	one, two := body(t, server, first), body(t, server, second)
	start := one[:strings.Index(one, `],"tools"`)]
	require.True(t, strings.HasPrefix(two, start), "the beginning stays")
	require.Contains(t, start, `"id":"same","type":"function","function":{"name":"f","arguments":"{\"a\": 1}"}`)
	require.Contains(t, two, `"tool_call_id":"01B-0"`)
	require.Equal(t, 2, strings.Count(two, `"reasoning_content":"r"`))
}

// TestAForeignThoughtIsNotSent: another model's thought is replaced by none,
// which DeepSeek wants said; one that does not fit its message is not used.
func TestAForeignThoughtIsNotSent(t *testing.T) {
	t.Parallel()
	for _, o := range []llm.Opaque{
		{Origin: "deepseek:another", Data: json.RawMessage(`{"reasoning_content":"secret","tool_calls":[{"id":"x"}]}`)},
		{Origin: "deepseek:" + model, Data: json.RawMessage(`{"reasoning_content":"secret"}`)},
		{Origin: "deepseek:" + model, Data: json.RawMessage(`[1]`)},
	} {
		r := asking(user("Go."), llm.Message{Role: llm.RoleAssistant, Blocks: []llm.Block{o, llm.Call{ID: "01A-0", Name: "f",
			Args: json.RawMessage(`{}`)}}},
			llm.Message{Role: llm.RoleTool, Blocks: []llm.Block{llm.Result{Call: "01A-0", Name: "f", Text: "x"}}})
		sent := body(t, find(t, "deepseek"), r)
		require.NotContains(t, sent, "secret")
		require.Contains(t, sent, `"reasoning_content":""`)
		require.Contains(t, sent, `"id":"01A-0"`)
	}
	alone := asking(user("Go."), llm.Message{Role: llm.RoleAssistant, Blocks: []llm.Block{llm.Opaque{Origin: "gemini:x",
		Data: json.RawMessage(`{}`)}}}, user("Go on."))
	require.NotContains(t, body(t, find(t, "openai"), alone), "assistant", "nothing of it can be said")
}
