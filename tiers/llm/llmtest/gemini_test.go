package llmtest_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/tiers/llm/llmtest"
)

// spoken is a content of the Gemini API.
func spoken(role string, parts ...any) object { return object{"role": role, "parts": parts} }

func say(s string) object { return object{"text": s} }

// calls is a part with a call that is signed as for another model's.
func calls(name string) object {
	return object{"functionCall": object{"name": name, "args": object{}},
		"thoughtSignature": "skip_thought_signature_validator"}
}

func answers(name string) object {
	return object{"functionResponse": object{"name": name, "response": object{"output": "ok"}}}
}

// validGemini is a request that the server takes: a round with two calls.
func validGemini() object {
	return object{
		"systemInstruction": object{"parts": []any{say("You work.")}},
		"tools":             []any{object{"functionDeclarations": []any{declared("read_file"), declared("get_tree")}}},
		"generationConfig":  object{"temperature": 1.0, "topP": 0.9, "maxOutputTokens": 100},
		"contents": []any{spoken("user", say("Look.")), spoken("model", say("I look."), calls("read_file"),
			object{"functionCall": object{"name": "get_tree"}}),
			spoken("user", answers("read_file"), answers("get_tree"))},
	}
}

func declared(name string) object {
	return object{"name": name, "description": "It does.", "parametersJsonSchema": object{"type": "object"}}
}

// conversation replaces the contents.
func conversation(q object, contents ...any) { q["contents"] = contents }

func think(config object) func(object) {
	return func(q object) { q["generationConfig"] = object{"thinkingConfig": config} }
}

const gemini3 = "gemini-3-pro-preview"

// toGemini sends a request with the key.
func toGemini(t *testing.T, s *llmtest.Server, method, path string, body any) (int, string) {
	t.Helper()
	raw, err := json.Marshal(body)
	require.NoError(t, err)
	req, err := http.NewRequestWithContext(t.Context(), method, s.URL+"/v1beta/"+path, strings.NewReader(string(raw)))
	require.NoError(t, err)
	req.Header.Set("X-Goog-Api-Key", llmtest.Key)
	req.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(req)
	require.NoError(t, err)
	defer func() { require.NoError(t, resp.Body.Close()) }()
	out, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	return resp.StatusCode, string(out)
}

func generate(t *testing.T, s *llmtest.Server, model string, body any) (int, string) {
	t.Helper()
	return toGemini(t, s, http.MethodPost, "models/"+model+":streamGenerateContent?alt=sse", body)
}

func geminiServer(t *testing.T) *llmtest.Server {
	return llmtest.Gemini(t, llmtest.Options{Answer: func(llmtest.View) llmtest.Turn {
		return llmtest.Turn{Text: "Done."}
	}})
}

// geminiCase is a change that makes a valid request one that is refused.
type geminiCase struct {
	name, model string
	change      func(object)
	want        string
}

// look is a first content.
func look() object { return spoken("user", say("Look.")) }

func rejectedByGemini(t *testing.T, cases []geminiCase) {
	t.Helper()
	s := geminiServer(t)
	code, text := generate(t, s, gemini3, validGemini())
	require.Equal(t, 200, code, text)
	for _, c := range cases {
		q := validGemini()
		c.change(q)
		code, text := generate(t, s, c.model, q)
		require.GreaterOrEqual(t, code, 400, c.name)
		require.Contains(t, text, c.want, c.name)
	}
	require.Len(t, s.Requests(), 1)
}

func TestGeminiRejectsPartsThatTheAPIRejects(t *testing.T) {
	t.Parallel()
	rejectedByGemini(t, []geminiCase{
		{"unknown field", gemini3, func(q object) { q["stream"] = true }, "stream"},
		{"unknown model", "gemini-9", func(object) {}, "is not found for API version"},
		{"no contents", gemini3, func(q object) { delete(q, "contents") }, "contents is not specified"},
		{"unknown role", gemini3, func(q object) { conversation(q, spoken("assistant", say("x"))) }, "valid role"},
		{"no parts", gemini3, func(q object) { conversation(q, spoken("user")) }, "must not be empty"},
		{"empty part", gemini3, func(q object) { conversation(q, spoken("user", object{})) }, "one initialized field"},
		{"empty text", gemini3, func(q object) { conversation(q, spoken("user", say(""))) }, "one initialized field"},
		{"two kinds in a part", gemini3, func(q object) {
			p := calls("read_file")
			p["text"] = "x"
			conversation(q, look(), spoken("model", p), spoken("user", answers("read_file")))
		}, "one initialized field"},
		{"image of the model", gemini3, func(q object) {
			conversation(q, look(), spoken("model", object{"inlineData": object{"mimeType": "image/jpeg", "data": "/9j/AQEB"}}),
				look())
		}, "not the user's"},
		{"image of another type", gemini3, func(q object) {
			conversation(q, spoken("user", object{"inlineData": object{"mimeType": "image/png", "data": "/9j/AQEB"}}))
		}, "appears to be image/jpeg"},
		{"call of the user", gemini3, func(q object) { conversation(q, spoken("user", calls("read_file"))) },
			"is the model's"},
		{"result of the model", gemini3, func(q object) {
			conversation(q, look(), spoken("model", answers("read_file")),
				look())
		}, "is the model's"},
		{"call without a name", gemini3, func(q object) {
			conversation(q, look(), spoken("model", calls("")),
				spoken("user", answers("a")))
		}, "function_call.name"},
		{"result without a name", gemini3, func(q object) {
			conversation(q, look(), spoken("model", calls("a")),
				spoken("user", answers("")))
		}, "function_response.name"},
		{"result without a response", gemini3, func(q object) {
			conversation(q, look(), spoken("model", calls("a")), spoken("user", object{"functionResponse": object{"name": "a"}}))
		}, "Response cannot be empty"},
		{"arguments that are no object", gemini3, func(q object) {
			conversation(q, look(), spoken("model", object{"functionCall": object{"name": "a", "args": "{}"}}),
				spoken("user", answers("a")))
		}, "protobuf.Struct"},
	})
}

func TestGeminiRejectsTurnsOutOfOrder(t *testing.T) {
	t.Parallel()
	rejectedByGemini(t, []geminiCase{
		{"model first", gemini3, func(q object) { conversation(q, spoken("model", say("x")), look()) },
			"begin with a user turn"},
		{"model last", gemini3, func(q object) { conversation(q, look(), spoken("model", say("x"))) },
			"end with a user turn"},
		{"call behind the model", gemini3, func(q object) {
			conversation(q, look(), spoken("model", say("x")), spoken("model", calls("a")), spoken("user", answers("a")))
		}, "immediately after a user turn"},
		{"result without a call", gemini3, func(q object) { conversation(q, spoken("user", answers("a"))) },
			"immediately after a function call turn"},
		{"too few results", gemini3, func(q object) {
			conversation(q, look(), spoken("model", calls("a"), calls("b")), spoken("user", answers("a")))
		}, "number of function response parts"},
		{"too many results", gemini3, func(q object) {
			conversation(q, look(), spoken("model", calls("a")), spoken("user", answers("a"), answers("a")))
		}, "number of function response parts"},
		{"no result", gemini3, func(q object) { conversation(q, look(), spoken("model", calls("a")), look()) },
			"number of function response parts"},
		{"results out of order", gemini3, func(q object) {
			conversation(q, look(), spoken("model", calls("a"), calls("b")), spoken("user", answers("b"), answers("a")))
		}, "does not match"},
		{"another id", gemini3, func(q object) {
			conversation(q, look(), spoken("model", calls("a")),
				spoken("user", object{"functionResponse": object{"name": "a", "id": "x", "response": object{}}}))
		}, "does not match"},
	})
}

func TestGeminiRejectsMissingAndChangedSignatures(t *testing.T) {
	t.Parallel()
	rejectedByGemini(t, []geminiCase{
		{"no signature", gemini3, func(q object) {
			conversation(q, look(), spoken("model", object{"functionCall": object{"name": "a"}}), spoken("user", answers("a")))
		}, "missing a thought_signature"},
		{"no signature in a later step", gemini3, func(q object) {
			conversation(q, look(), spoken("model", calls("a")), spoken("user", answers("a")),
				spoken("model", object{"functionCall": object{"name": "a"}}), spoken("user", answers("a")))
		}, "missing a thought_signature"},
		{"signature on the second call only", gemini3, func(q object) {
			conversation(q, look(), spoken("model", object{"functionCall": object{"name": "a"}}, calls("b")),
				spoken("user", answers("a"), answers("b")))
		}, "missing a thought_signature"},
		{"signature of something else", "gemini-2.5-pro", func(q object) {
			conversation(q, look(), spoken("model", object{"text": "x", "thoughtSignature": base64.StdEncoding.EncodeToString(
				[]byte("y"))}), look())
		}, "Corrupted thought signature"},
	})
}

func TestGeminiRejectsWhatStandsBesideTheContents(t *testing.T) {
	t.Parallel()
	rejectedByGemini(t, []geminiCase{
		{"empty system", gemini3, func(q object) { q["systemInstruction"] = object{"parts": []any{say("")}} },
			"system_instruction"},
		{"system without parts", gemini3, func(q object) { q["systemInstruction"] = object{"parts": []any{}} },
			"system_instruction"},
		{"tool without functions", gemini3, func(q object) { q["tools"] = []any{object{}} }, "tool_type"},
		{"function name", gemini3,
			func(q object) { q["tools"] = []any{object{"functionDeclarations": []any{declared("1x")}}} },
			"Invalid function name"},
		{"function twice", gemini3, func(q object) {
			q["tools"] = []any{object{"functionDeclarations": []any{declared("a"), declared("a")}}}
		}, "Duplicate function"},
		{"many functions", gemini3, func(q object) {
			var all []any
			for i := range 513 {
				all = append(all, declared(fmt.Sprintf("f%d", i)))
			}
			q["tools"] = []any{object{"functionDeclarations": all}}
		}, "At most 512"},
		{"two schemas", gemini3, func(q object) {
			f := declared("a")
			f["parameters"] = object{"type": "OBJECT"}
			q["tools"] = []any{object{"functionDeclarations": []any{f}}}
		}, "only one of parameters"},
		{"schema of no object", gemini3, func(q object) {
			f := declared("a")
			f["parametersJsonSchema"] = object{"type": "string"}
			q["tools"] = []any{object{"functionDeclarations": []any{f}}}
		}, "should be OBJECT"},
		{"temperature", gemini3, func(q object) { q["generationConfig"] = object{"temperature": 2.1} }, "temperature"},
		{"top_p", gemini3, func(q object) { q["generationConfig"] = object{"topP": 1.1} }, "top_p"},
		{"no output", gemini3, func(q object) { q["generationConfig"] = object{"maxOutputTokens": 0} }, "must be positive"},
		{"much output", gemini3, func(q object) { q["generationConfig"] = object{"maxOutputTokens": 65_537} }, "over 65536"},
		{"thinking of an old model", "gemini-2.0-flash", think(object{"thinkingBudget": 1}), "not enabled"},
		{"budget and level", gemini3, think(object{"thinkingBudget": 1024, "thinkingLevel": "LOW"}), "only one of"},
		{"level of 2.5", "gemini-2.5-pro", think(object{"thinkingLevel": "LOW"}), "not supported"},
		{"medium of 3 pro", gemini3, think(object{"thinkingLevel": "MEDIUM"}), "not supported"},
		{"minimal of the newest flash", "gemini-flash-latest", think(object{"thinkingLevel": "MINIMAL"}), "not supported"},
		{"minimal of 3.8", "gemini-3.8-flash", think(object{"thinkingLevel": "MINIMAL"}), "not supported"},
		{"minimal of pro", "gemini-3.1-pro-preview", think(object{"thinkingLevel": "MINIMAL"}), "not supported"},
		{"unknown level", gemini3, think(object{"thinkingLevel": "off"}), "not supported"},
		{"pro without thinking", "gemini-2.5-pro", think(object{"thinkingBudget": 0}), "only works in thinking mode"},
		{"too little thinking", "gemini-2.5-flash-lite", think(object{"thinkingBudget": 511}), "is invalid"},
		{"too much thinking", "gemini-2.5-flash", think(object{"thinkingBudget": 24_577}), "is invalid"},
	})
}

func TestGeminiTakesTheThinkingOfEachFamily(t *testing.T) {
	t.Parallel()
	s := geminiServer(t)
	for model, config := range map[string]object{gemini3: {"thinkingLevel": "high"},
		"gemini-3.5-flash": {"thinkingLevel": "MINIMAL"}, "gemini-2.5-pro": {"thinkingBudget": 128},
		"gemini-2.5-flash-lite": {"thinkingBudget": 0}} {
		q := validGemini()
		think(config)(q)
		code, text := generate(t, s, model, q)
		require.Equal(t, 200, code, text)
	}
}

func TestGeminiTakesOldStepsWithoutSignatures(t *testing.T) {
	t.Parallel()
	q := validGemini()
	bare := object{"functionCall": object{"name": "a"}}
	conversation(q, spoken("user", say("Look.")), spoken("model", bare), spoken("user", answers("a")),
		spoken("model", say("Done.")), spoken("user", say("Go on.")))
	code, text := generate(t, geminiServer(t), gemini3, q)
	require.Equal(t, 200, code, text)
	conversation(q, spoken("user", say("Look.")), spoken("model", bare), spoken("user", answers("a")))
	code, text = generate(t, geminiServer(t), "gemini-2.5-pro", q)
	require.Equal(t, 200, code, text)
}

func TestGeminiRejectsOtherAddressesAndKeys(t *testing.T) {
	t.Parallel()
	s := geminiServer(t)
	for _, path := range []string{"models/" + gemini3 + ":generateContent?alt=sse", "models/" + gemini3 +
		"/x:streamGenerateContent?alt=sse", "elsewhere"} {
		code, text := toGemini(t, s, http.MethodPost, path, validGemini())
		require.Equal(t, 404, code, text)
	}
	code, text := toGemini(t, s, http.MethodPost, "models/"+gemini3+":streamGenerateContent", validGemini())
	require.Equal(t, 400, code, text)
	resp, err := http.Get(s.URL + "/v1beta/models")
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, 400, resp.StatusCode)
	code, text = toGemini(t, s, http.MethodGet, "models", nil)
	require.Equal(t, 200, code)
	require.Contains(t, text, "models/gemini-2.5-pro")
}

func TestGeminiReadsTheBeginningThatItSawBefore(t *testing.T) {
	t.Parallel()
	s := geminiServer(t)
	q := validGemini()
	delete(q, "generationConfig")
	conversation(q, spoken("user", say(strings.Repeat("word ", 5000))))
	_, text := generate(t, s, gemini3, q)
	require.NotContains(t, text, "cachedContentTokenCount")
	q["contents"] = append(q["contents"].([]any), spoken("model", calls("read_file")),
		spoken("user", answers("read_file")))
	_, text = generate(t, s, gemini3, q)
	require.Contains(t, text, `"cachedContentTokenCount":6`)
	delete(q, "tools")
	_, text = generate(t, s, gemini3, q)
	require.NotContains(t, text, "cachedContentTokenCount", "tools stand before the contents")
}
