package openai_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/llmtest"
)

// thinking is a request for a model of the Responses wire.
func thinking() llm.Request {
	r := asking(user("Go."))
	r.Model = "gpt-5.6"
	return r
}

const (
	completed = `{"type":"response.completed","response":{"model":"gpt-5.6","usage":{"input_tokens":10,"output_tokens":7,` +
		`"input_tokens_details":{"cached_tokens":4,"cache_write_tokens":5},"output_tokens_details":{"reasoning_tokens":3}}}}`
	message = `{"type":"response.output_item.added","item":{"type":"message"}}`
	text    = `{"type":"response.output_text.delta","delta":"Hi."}`
	said    = `{"type":"response.output_item.done","item":{"type":"message","id":"m","status":"completed","role":"assistant",` +
		`"phase":"commentary","content":[{"type":"output_text","text":"Hi."}]}}`
	thought = `{"type":"response.output_item.done","item":{"type":"reasoning","id":"rs","summary":[],"encrypted_content":"e"}}`
)

func TestResponsesErrorsHaveTheirKinds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, event, kind, says string }{
		{"an error event", `{"type":"error","code":"rate_limit_exceeded","message":"slow down"}`, events.ModelRateLimited,
			"slow down"},
		{"a failed response", `{"type":"response.failed","response":{"error":{"code":"server_error","message":"oops"}}}`,
			events.ModelOverloaded, "oops"},
		{"a prompt that is too long",
			`{"type":"response.failed","response":{"error":{"code":"context_length_exceeded","message":"too long"}}}`,
			events.ModelContextTooLong, "too long"},
		{"a failure without a reason", `{"type":"response.failed","response":{"error":null}}`, events.ModelIncomplete,
			"gave no reason"},
		{"a content filter", `{"type":"response.incomplete","response":{"incomplete_details":{"reason":"content_filter"}}}`,
			events.ModelRefused, "content filter"},
		{"text that is not JSON", `{"type":`, events.ModelIncomplete, "not valid JSON"},
		{"a refusal", `{"type":"response.output_item.done","item":{"type":"message","content":[{"type":"refusal","refusal":"No."}]}}`, events.ModelRefused, "No."},
	} {
		_, err := ask(t, says(t, "openai", message, text, c.event, completed), thinking())
		var failed *llm.Error
		require.ErrorAs(t, err, &failed, c.name)
		require.Equal(t, c.kind, failed.Kind, c.name)
		require.Contains(t, failed.Message, c.says, c.name)
	}
}

func TestResponsesItemsGoBackWithoutIDs(t *testing.T) {
	t.Parallel()
	reply, err := ask(t, says(t, "openai", thought, message, text, said, message, text, said, thought, completed),
		thinking())
	require.NoError(t, err)
	require.Equal(t, "Hi.\n\nHi.", reply.Text, "a blank line parts two messages")
	require.Equal(t, events.Usage{Input: 1, CacheRead: 4, CacheWrite: 5, Output: 7, Thinking: 3}, reply.Usage)
	var o llm.Opaque
	require.NoError(t, json.Unmarshal(reply.Raw, &o))
	const kept = `{"type":"message","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"Hi."}]}`
	require.JSONEq(t, `[{"type":"reasoning","summary":[],"encrypted_content":"e"},`+kept+`,`+kept+`]`, string(o.Data),
		"reasoning that nothing follows is refused, so it is not kept")
}

func TestResponsesCutAtTheirLimitKeepWhatIsWhole(t *testing.T) {
	t.Parallel()
	call := func(args, status string) string {
		return `{"type":"response.output_item.done","item":{"type":"function_call","call_id":"c` + status +
			`","name":"read_file",` +
			`"arguments":"` + args + `","status":"` + status + `"}}`
	}
	cut := strings.NewReplacer("completed", "incomplete", `"usage"`,
		`"incomplete_details":{"reason":"max_output_tokens"},"usage"`).Replace(completed)
	reply, err := ask(t, says(t, "openai", call(`{}`, "completed"), call(`{\"path\":\"a`, "incomplete"), cut), thinking())
	require.NoError(t, err)
	require.Equal(t, llm.FinishMaxTokens, reply.Finish)
	require.Empty(t, reply.Calls[0].Malformed)
	require.NotEmpty(t, reply.Calls[1].Malformed, "a call that was cut off never runs")

	reply, err = ask(t, says(t, "openai", thought, cut), thinking())
	require.NoError(t, err, "a reply of thoughts alone is one")
	require.Equal(t, llm.FinishMaxTokens, reply.Finish)
	require.Empty(t, reply.Raw)
}

func TestResponsesOverTheirLimitsAreRefused(t *testing.T) {
	t.Parallel()
	var calls []string
	for range llm.MaxCalls + 1 {
		calls = append(calls,
			`{"type":"response.output_item.done","item":{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}}`)
	}
	reply, err := ask(t, says(t, "openai", append(calls[:llm.MaxCalls:llm.MaxCalls], completed)...), thinking())
	require.NoError(t, err)
	require.Len(t, reply.Calls, llm.MaxCalls)
	_, err = ask(t, says(t, "openai", append(calls, completed)...), thinking())
	require.ErrorContains(t, err, "tool calls")

	large := `{"type":"response.output_item.done","item":{"type":"x","pad":"` + strings.Repeat("x", 1<<20) + `"}}`
	var many []string
	for range (llm.MaxText+llm.MaxRaw)>>20 + 1 {
		many = append(many, large)
	}
	_, err = ask(t, says(t, "openai", append(many, completed)...), thinking())
	require.ErrorContains(t, err, "items of the reply")
}

// TestModelsOnResponsesCarryOutTicketsAtEveryEffort has tools and every effort at
// each model that Chat Completions refuses, or has not.
func TestModelsOnResponsesCarryOutTicketsAtEveryEffort(t *testing.T) {
	t.Parallel()
	for _, model := range []string{
		"gpt-6-sol", "gpt-6-astra", "gpt-6.1-sol", "gpt-6.2-sol", "gpt-5.5", "gpt-5.5-pro", "gpt-5.3-codex",
		"gpt-5.2-chat-latest", "gpt-5.3-chat-latest", "gpt-5-codex", "gpt-5-pro", "o3-pro", "codex-mini-latest",
	} {
		for _, effort := range append(events.Efforts(), "") {
			s := llmtest.OpenAI(t, "openai", llmtest.Options{Models: []string{model}, Turns: []llmtest.Turn{{Text: "Done."}}})
			r := asking(user("Go."))
			r.Model, r.Params.Effort = model, effort
			reply, err := ask(t, at(t, s, "openai"), r)
			require.NoError(t, err, "%s %q: %v", model, effort, s.Refused())
			require.Equal(t, "Done.", reply.Text)
		}
	}
}
