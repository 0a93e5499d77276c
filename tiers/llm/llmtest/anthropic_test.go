package llmtest_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tiers/llm/llmtest"
)

// object is JSON that a test changes.
type object = map[string]any

// text is a text block.
func text(s string) object { return object{"type": "text", "text": s} }

func use(id string) object {
	return object{"type": "tool_use", "id": id, "name": "read_file", "input": object{}}
}

func result(id string) object {
	return object{"type": "tool_result", "tool_use_id": id, "content": "ok"}
}

func shown(media, data string) object {
	return object{"type": "image", "source": object{"type": "base64", "media_type": media, "data": data}}
}

func said(role string, blocks ...any) object {
	return object{"role": role, "content": append([]any{}, blocks...)}
}

// valid is a request that the server takes: two rounds with tools.
func valid() object {
	return object{
		"model": "claude-sonnet-4-5", "max_tokens": 2048, "stream": true,
		"system": []any{text("You work.")},
		"tools":  []any{object{"name": "read_file", "description": "Reads.", "input_schema": object{"type": "object"}}},
		"messages": []any{
			said("user", text("Look.")), said("assistant", text("I look."), use("a"), use("b")),
			said("user", result("b"), result("a"), text("[SYSTEM: FILES UPDATED]")),
		},
	}
}

// post sends a body with the headers that the API asks for.
func post(t *testing.T, s *llmtest.Server, body any, headers ...string) (int, string) {
	t.Helper()
	raw, err := json.Marshal(body)
	require.NoError(t, err)
	return send(t, s, http.MethodPost, "/v1/messages", raw, headers...)
}

func send(t *testing.T, s *llmtest.Server, method, path string, body []byte, headers ...string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+path, bytes.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("X-Api-Key", llmtest.Key)
	req.Header.Set("Anthropic-Version", "2023-06-01")
	req.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { require.NoError(t, resp.Body.Close()) }()
	out, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(out)
}

// messages replaces the messages behind the first.
func messages(q object, rest ...any) {
	q["messages"] = append([]any{said("user", text("Look."))}, rest...)
}

func marked(ttl string) object {
	b := text("x")
	b["cache_control"] = object{"type": "ephemeral", "ttl": ttl}
	return b
}

func TestTheFakeTakesWhatTheRealOneTakes(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(object){
		"as it is": func(object) {},
		"strings for content": func(q object) {
			q["system"] = "x"
			q["messages"] = []any{object{"role": "user",
				"content": "x"}}
		},
		"four marks":        func(q object) { q["system"] = []any{marked("5m"), marked("5m"), marked("5m"), marked("5m")} },
		"long before short": func(q object) { q["system"] = []any{marked("1h"), marked("5m")} },
		"thinking":          func(q object) { q["thinking"] = object{"type": "enabled", "budget_tokens": 1024}; messages(q) },
		"temperature 1 at thinking": func(q object) {
			q["thinking"] = object{"type": "enabled", "budget_tokens": 1024}
			q["temperature"] = 1
			messages(q)
		},
		"thinking switched off": func(q object) { q["thinking"] = object{"type": "disabled"}; q["temperature"] = 0.5 },
		"an effort": func(q object) {
			q["model"] = "claude-opus-5-5"
			q["thinking"] = object{"type": "adaptive"}
			q["output_config"] = object{"effort": "low"}
		},
		"an empty result": func(q object) {
			messages(q, said("assistant", use("a")), said("user", object{"type": "tool_result", "tool_use_id": "a"}))
		},
		"two user messages": func(q object) { messages(q, said("user", text("And more."))) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := llmtest.Anthropic(t, llmtest.Options{Turns: []llmtest.Turn{{Text: "Done."}}})
			q := valid()
			change(q)
			code, body := post(t, s, q)
			require.Equal(t, 200, code, body)
			require.Contains(t, body, "event: message_stop")
		})
	}
}

func TestTheFakeRefusesWhatTheRealOneRefuses(t *testing.T) {
	t.Parallel()
	adaptive := object{"type": "adaptive"}
	for name, c := range map[string]struct {
		code   int
		says   string
		change func(q object)
	}{
		"an unknown model": {404, "model: claude-none", func(q object) { q["model"] = "claude-none" }},
		"an image of the assistant": {400, "can only be in `user` messages", func(q object) {
			messages(q, said("assistant", shown("image/jpeg", "/9j/AQEB")), said("user", text("x")))
		}},
		"an image at an address": {400, "image.source", func(q object) {
			messages(q, said("user", object{"type": "image", "source": object{"type": "url"}}))
		}},
		"an image of another type": {400, "appears to be image/jpeg", func(q object) {
			messages(q, said("user", shown("image/png", "/9j/AQEB")))
		}},
		"an image over 10 MB": {400, "exceeds 10 MB maximum: 10485764 bytes", func(q object) {
			messages(q, said("user", shown("image/png", strings.Repeat("AAAA", 10<<18+1))))
		}},
		"no max_tokens": {400, "max_tokens: Field required", func(q object) { delete(q, "max_tokens") }},
		"no room":       {400, "max_tokens", func(q object) { q["max_tokens"] = 0 }},
		"too much room": {400, "128000, which is the maximum",
			func(q object) { q["model"] = "claude-sonnet-4-6"; q["max_tokens"] = 128001 }},
		"an unknown field": {400, "Extra inputs", func(q object) { q["seed"] = 1 }},
		"an unknown block field": {400, "Extra inputs", func(q object) {
			b := text("x")
			b["colour"] = 1
			messages(q,
				said("user", b))
		}},
		"no messages": {400, "at least one message", func(q object) { q["messages"] = []any{} }},
		"the assistant first": {400, "first message", func(q object) {
			q["messages"] = []any{said("assistant", text("x")),
				said("user", text("x"))}
		}},
		"the assistant last":   {400, "prefill", func(q object) { messages(q, said("assistant", text("x"))) }},
		"another role":         {400, "role", func(q object) { messages(q, said("tool", text("x"))) }},
		"an empty message":     {400, "non-empty content", func(q object) { messages(q, said("user")) }},
		"an empty text":        {400, "must be non-empty", func(q object) { messages(q, said("user", text(""))) }},
		"blank text":           {400, "non-whitespace", func(q object) { messages(q, said("user", text(" \n"))) }},
		"an empty system text": {400, "must be non-empty", func(q object) { q["system"] = []any{text("")} }},
		"an unknown block":     {400, "expected tags", func(q object) { messages(q, said("user", object{"type": "song"})) }},
		"no result": {400, "without `tool_result`", func(q object) {
			messages(q, said("assistant", use("a")), said("user", text("Go on.")))
		}},
		"one result of two": {400, "without `tool_result`", func(q object) {
			messages(q, said("assistant", use("a"), use("b")), said("user", result("a")))
		}},
		"a result too late": {400, "without `tool_result`", func(q object) {
			messages(q, said("assistant", use("a")), said("user", text("Wait.")), said("user", result("a")))
		}},
		"a result of no call": {400, "unexpected `tool_use_id`", func(q object) { messages(q, said("user", result("a"))) }},
		"a result twice": {400, "single result", func(q object) {
			messages(q, said("assistant", use("a")), said("user", result("a"), result("a")))
		}},
		"a result behind text": {400, "must come first", func(q object) {
			messages(q, said("assistant", use("a")), said("user", text("Here:"), result("a")))
		}},
		"an id twice": {400, "must be unique", func(q object) {
			messages(q, said("assistant", use("a"), use("a")), said("user", result("a")))
		}},
		"an id in two turns": {400, "must be unique", func(q object) {
			messages(q, said("assistant", use("a")), said("user", result("a")), said("assistant", use("a")),
				said("user", result("a")))
		}},
		"a bad id": {400, "tool_use.id", func(q object) {
			messages(q, said("assistant", use("a b")),
				said("user", result("a b")))
		}},
		"a bad name": {400, "tool_use.name", func(q object) {
			u := use("a")
			u["name"] = "no tool"
			messages(q, said("assistant", u), said("user", result("a")))
		}},
		"bad input": {400, "valid dictionary", func(q object) {
			u := use("a")
			u["input"] = "x"
			messages(q, said("assistant", u), said("user", result("a")))
		}},
		"a user call": {400, "`assistant` messages", func(q object) { messages(q, said("user", use("a"))) }},
		"an assistant's result": {400, "`user` messages", func(q object) {
			messages(q, said("assistant", use("a")), said("assistant", result("a")), said("user", text("x")))
		}},
		"an error without words": {400, "cannot be empty", func(q object) {
			messages(q, said("assistant", use("a")), said("user", object{"type": "tool_result", "tool_use_id": "a",
				"is_error": true}))
		}},
		"five marks": {400, "maximum of 4", func(q object) {
			q["system"] = []any{marked("5m"), marked("5m"), marked("5m"), marked("5m"), marked("5m")}
		}},
		"short before long": {400, "must not come after", func(q object) { q["system"] = []any{marked("5m"), marked("1h")} }},
		"another ttl":       {400, "ttl", func(q object) { q["system"] = []any{marked("2h")} }},
		"another mark": {400, "ephemeral", func(q object) {
			b := text("x")
			b["cache_control"] = object{
				"type": "eternal"}
			q["system"] = []any{b}
		}},
		"a tool's name": {400, "custom.name",
			func(q object) { q["tools"] = []any{object{"name": "a b", "input_schema": object{"type": "object"}}} }},
		"a tool twice": {400, "unique", func(q object) {
			tool := object{"name": "a", "input_schema": object{"type": "object"}}
			q["tools"] = []any{tool, tool}
		}},
		"a tool's schema": {400, "input_schema",
			func(q object) { q["tools"] = []any{object{"name": "a", "input_schema": object{"type": "string"}}} }},
		"no schema":    {400, "input_schema", func(q object) { q["tools"] = []any{object{"name": "a"}} }},
		"hot":          {400, "temperature", func(q object) { q["temperature"] = 1.1 }},
		"top_p":        {400, "top_p", func(q object) { q["top_p"] = 1.1 }},
		"both of them": {400, "cannot both", func(q object) { q["temperature"] = 0.5; q["top_p"] = 0.5 }},
		"hot thinking": {400, "may only be set to 1", func(q object) {
			q["temperature"] = 0.5
			q["thinking"] = object{"type": "enabled", "budget_tokens": 1024}
		}},
		"narrow thinking": {400, "0.95", func(q object) {
			q["top_p"] = 0.5
			q["thinking"] = object{"type": "enabled",
				"budget_tokens": 1024}
		}},
		"a new model's heat":  {400, "deprecated", func(q object) { q["model"] = "claude-opus-5-5"; q["temperature"] = 1 }},
		"a new model's top_p": {400, "deprecated", func(q object) { q["model"] = "claude-opus-5-5"; q["top_p"] = 1 }},
		"a new model's budget": {400, "thinking.type.adaptive", func(q object) {
			q["model"] = "claude-opus-5-5"
			q["thinking"] = object{"type": "enabled", "budget_tokens": 1024}
		}},
		"an old model's room": {400, "64000, which is the maximum", func(q object) { q["max_tokens"] = 64001 }},
		"a choice of schemas": {400, "at the top level", func(q object) {
			q["tools"] = []any{object{"name": "a", "input_schema": object{"type": "object",
				"anyOf": []any{object{"required": []any{"x"}}}}}}
		}},
		"a binding without its beta": {400, "Extra inputs", func(q object) {
			q["model"] = "claude-opus-5-5"
			q["thinking"] = object{"type": "adaptive", "block_binding": object{"prefix_mismatch_behavior": "drop_block"}}
		}},
		"a new model's off": {400, "disabled", func(q object) {
			q["model"] = "claude-opus-5-5"
			q["thinking"] = object{
				"type": "disabled"}
		}},
		"an old model's mode":   {400, "adaptive", func(q object) { q["thinking"] = adaptive }},
		"an old model's effort": {400, "effort", func(q object) { q["output_config"] = object{"effort": "low"} }},
		"another effort": {400, "effort", func(q object) {
			q["model"] = "claude-opus-5-5"
			q["output_config"] = object{
				"effort": "off"}
		}},
		"a small budget": {400, "1024", func(q object) { q["thinking"] = object{"type": "enabled", "budget_tokens": 1023} }},
		"a large budget": {400, "must be greater", func(q object) {
			q["thinking"] = object{"type": "enabled",
				"budget_tokens": 2048}
		}},
		"another mode": {400, "expected tags", func(q object) { q["thinking"] = object{"type": "hard"} }},
		"no thought before calls": {400, "must start with a thinking block", func(q object) {
			q["thinking"] = object{"type": "enabled", "budget_tokens": 1024}
		}},
		"a forged thought": {400, "Invalid `signature`", func(q object) {
			messages(q, said("assistant", object{"type": "thinking", "thinking": "x", "signature": "y"}, text("x")),
				said("user", text("x")))
		}},
		"a forged secret": {400, "Invalid `data`", func(q object) {
			messages(q, said("assistant", object{"type": "redacted_thinking", "data": "y"}, text("x")), said("user", text("x")))
		}},
		"a marked thought": {400, "cache_control", func(q object) {
			messages(q, said("assistant", object{"type": "thinking", "thinking": "x", "signature": "y",
				"cache_control": object{"type": "ephemeral"}}, text("x")), said("user", text("x")))
		}},
		"a user's thought": {400, "`assistant` messages", func(q object) {
			messages(q, said("user", object{"type": "thinking", "thinking": "x", "signature": "y"}))
		}},
		"no stream": {400, "stream", func(q object) { delete(q, "stream") }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := llmtest.Anthropic(t, llmtest.Options{Turns: []llmtest.Turn{{Text: "Done."}}})
			q := valid()
			c.change(q)
			code, body := post(t, s, q)
			require.Equal(t, c.code, code, body)
			require.Contains(t, strings.ReplaceAll(body, `\"`, `"`), c.says)
			require.Contains(t, body, `"type":"error"`)
			require.Len(t, s.Refused(), 1)
			require.Empty(t, s.Requests())
		})
	}
}

func TestTheFakeWantsItsHeaders(t *testing.T) {
	t.Parallel()
	s := llmtest.Anthropic(t, llmtest.Options{})
	for _, c := range []struct {
		code    int
		says    string
		headers []string
	}{
		{401, "authentication_error", []string{"X-Api-Key", "wrong"}},
		{401, "authentication_error", []string{"X-Api-Key", ""}},
		{400, "anthropic-version", []string{"Anthropic-Version", ""}},
		{400, "anthropic-version", []string{"Anthropic-Version", "2020-01-01"}},
		{400, "content-type", []string{"Content-Type", "text/plain"}},
	} {
		code, body := post(t, s, valid(), c.headers...)
		require.Equal(t, c.code, code, body)
		require.Contains(t, body, c.says)
	}
	code, _ := send(t, s, http.MethodPost, "/v2/messages", []byte("{}"))
	require.Equal(t, 404, code)
	code, _ = send(t, s, http.MethodPost, "/v1/messages", []byte("{"))
	require.Equal(t, 400, code)
	code, _ = send(t, s, http.MethodPost, "/v1/messages", bytes.Repeat([]byte(" "), 32<<20+1))
	require.Equal(t, 413, code)
	code, body := send(t, s, http.MethodGet, "/v1/models", nil)
	require.Equal(t, 200, code)
	require.Contains(t, body, `"id":"claude-sonnet-4-6"`)
	code, _ = send(t, s, http.MethodGet, "/v1/models", nil, "X-Api-Key", "wrong")
	require.Equal(t, 401, code)
}
