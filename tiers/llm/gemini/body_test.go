package gemini_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/gemini"
)

func TestBodyHoldsResultsInTheOrderOfTheCallsAndTheRefreshBehindTheLast(t *testing.T) {
	t.Parallel()
	body := bodyOf(t, asking("gemini-2.5-pro", nil))
	require.Equal(t, "You are.", at(t, body, "systemInstruction", "parts", 0, "text"))
	require.Equal(t, map[string]any{"type": "object"}, at(t, body, "tools", 0, "functionDeclarations", 0,
		"parametersJsonSchema"))
	require.Len(t, at(t, body, "contents"), 3)
	require.Equal(t, "user", at(t, body, "contents", 2, "role"))
	require.Equal(t, map[string]any{"output": "one"}, at(t, body, "contents", 2, "parts", 0, "functionResponse",
		"response"))
	require.Equal(t, map[string]any{"error": "no file\n\n[SYSTEM: FILES UPDATED]\na: changed"}, at(t, body, "contents", 2,
		"parts", 1, "functionResponse", "response"))
	require.Len(t, at(t, body, "contents", 2, "parts"), 2, "no text stands between results and the reply")
	require.Nil(t, at(t, body, "contents", 1, "parts", 1, "thoughtSignature"), "2.5 needs none")
}

func TestARefreshWithoutResultsIsAMessageOfTheUser(t *testing.T) {
	t.Parallel()
	r := asking(model, nil)
	r.Messages = append(r.Messages[:2], llm.Message{Role: llm.RoleUser,
		Blocks: []llm.Block{llm.Text("[SYSTEM: FILES UPDATED]")}})
	require.Equal(t, "[SYSTEM: FILES UPDATED]", at(t, bodyOf(t, r), "contents", 1, "parts", 0, "text"))
}

func TestTheFirstCallOfAForeignReplyHasTheDocumentedSignatureFromGemini3On(t *testing.T) {
	t.Parallel()
	for _, name := range []string{model, "gemini-3.5-flash", "gemini-flash-latest", "models/gemini-4-pro"} {
		parts := at(t, bodyOf(t, asking(name, &llm.Opaque{Origin: "anthropic:x", Data: json.RawMessage(`{"secret":1}`)})),
			"contents", 1, "parts")
		require.Equal(t, "skip_thought_signature_validator", at(t, parts, 1, "thoughtSignature"), name)
		require.Nil(t, at(t, parts, 2, "thoughtSignature"), "parallel calls carry it on the first only")
	}
}

func TestAReplyOfTheSameModelGoesBackVerbatim(t *testing.T) {
	t.Parallel()
	data := `{"role":"model","parts":[{"text":"thought & more","thought":true,"new":1},` +
		`{"functionCall":{"id":"v1","name":"read_file","args":{"n":12345678901234567890}},"thoughtSignature":"c2ln+/=="},{"functionCall":{"name":"read_file","args":{}}}]}`
	r := asking(model, &llm.Opaque{Origin: "gemini:" + model, Data: json.RawMessage(data)})
	b, err := gemini.Provider{}.Body(r)
	require.NoError(t, err)
	require.Contains(t, string(b), data, "not a byte of it changed")
	results := at(t, bodyOf(t, r), "contents", 2, "parts")
	require.Equal(t, "v1", at(t, results, 0, "functionResponse", "id"), "its own id, where it gave one")
	require.Nil(t, at(t, results, 1, "functionResponse", "id"))

	r.Model = "gemini-3-flash-preview"
	b, err = gemini.Provider{}.Body(r)
	require.NoError(t, err)
	require.NotContains(t, string(b), "c2ln", "signatures do not survive a change of model")
}

func TestEffortSpeaksTheLanguageOfTheModelsFamily(t *testing.T) {
	t.Parallel()
	level := func(l string) map[string]any { return map[string]any{"thinkingLevel": l} }
	budget := func(n float64) map[string]any { return map[string]any{"thinkingBudget": n} }
	cases := []struct {
		model, effort string
		want          any
	}{
		{"gemini-2.5-pro", "off", budget(128)}, {"gemini-2.5-flash", "off", budget(0)}, {"gemini-2.5-flash-lite", "low",
			budget(4096)},
		{"gemini-2.5-flash", "medium", budget(8192)}, {"gemini-2.5-pro", "high", budget(24576)},
		{"gemini-3-pro-preview", "off", level("LOW")}, {"gemini-3-pro-preview", "medium", level("HIGH")},
		{"gemini-3.1-pro", "medium", level("MEDIUM")},
		{"gemini-3.5-flash", "off", level("MINIMAL")}, {"gemini-3.5-flash", "high", level("HIGH")}, {"gemini-flash-latest",
			"low", level("LOW")},
		{"gemini-flash-latest", "off", level("LOW")}, {"gemini-pro-latest", "off", level("LOW")},
		{"gemini-pro-latest", "medium", level("MEDIUM")}, {"gemini-flash-lite-latest", "off", level("MINIMAL")},
		{"gemini-3.7-flash", "off", level("LOW")}, {"gemini-3.8-flash", "off", level("LOW")},
		{"gemini-2.0-flash", "high", nil}, {"gemma-3-27b-it", "high", nil}, {"gemini-3-pro-preview", "", nil},
	}
	for _, c := range cases {
		r := asking(c.model, nil)
		r.Params = events.ModelParams{Effort: c.effort, MaxOutputTokens: 32768}
		config := at(t, bodyOf(t, r), "generationConfig")
		require.EqualValues(t, 32768, at(t, config, "maxOutputTokens"))
		require.Equal(t, c.want, at(t, config, "thinkingConfig"), "%s %s", c.model, c.effort)
	}
}

func TestModelsThatSampleByThemselvesGetNoTemperature(t *testing.T) {
	t.Parallel()
	half := 0.5
	for model, sent := range map[string]bool{
		"gemini-2.5-flash": true, "gemini-3.1-pro-preview": true, "gemini-3.5-flash": true, "gemma-3-27b-it": true,
		"gemini-3.5-flash-lite": false, "gemini-3.6-flash": false, "gemini-3.8-flash": false, "gemini-flash-latest": false,
	} {
		r := asking(model, nil)
		r.Params = events.ModelParams{Temperature: &half, TopP: &half, MaxOutputTokens: 9}
		config := at(t, bodyOf(t, r), "generationConfig")
		require.Equal(t, sent, at(t, config, "temperature") != nil, model)
		require.Equal(t, sent, at(t, config, "topP") != nil, model)
	}
}

func TestThoughtsStayWithinTheReply(t *testing.T) {
	t.Parallel()
	for room, want := range map[int]float64{0: 8192, 65_536: 8192, 8192: 1024, 1024: 512, 1023: 0} {
		r := asking("gemini-2.5-flash", nil)
		r.Params = events.ModelParams{Effort: "low", MaxOutputTokens: room}
		require.InDelta(t, want, at(t, bodyOf(t, r), "generationConfig", "thinkingConfig", "thinkingBudget"), 0, room)
	}
}

func TestANameThatIsNoModelIsNotSent(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "../cachedContents", "a?b", "models/../x", "a/b", "gemini-3 pro"} {
		_, err := gemini.Provider{}.Body(asking(name, nil))
		require.Equal(t, events.ModelInvalidRequest, llm.AsError(err).Kind, name)
	}
}

func TestANameThatAModelMadeUpIsOneThatTheAPITakes(t *testing.T) {
	t.Parallel()
	r := asking(model, nil)
	call, result := r.Messages[2].Blocks[1].(llm.Call), r.Messages[3].Blocks[0].(llm.Result)
	call.Name = "rm -rf\n\x1b[2J" + strings.Repeat("x", 200)
	result.Name = call.Name
	r.Messages[2].Blocks[1], r.Messages[3].Blocks[0] = call, result
	want := "rm_-rf___2J" + strings.Repeat("x", 128-11)
	require.Equal(t, want, at(t, bodyOf(t, r), "contents", 1, "parts", 1, "functionCall", "name"))
	require.Equal(t, want, at(t, bodyOf(t, r), "contents", 2, "parts", 0, "functionResponse", "name"))
}
