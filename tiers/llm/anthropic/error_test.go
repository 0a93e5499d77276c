package anthropic_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/anthropic"
)

// served is the reply to a server that always answers the same.
func served(t *testing.T, code int, kind, body string) (llm.Reply, *llm.Error) {
	t.Helper()
	p := anthropic.Provider{Endpoint: llm.Endpoint{Key: "sk-ant-secret",
		Client: &http.Client{Transport: answers(func(r *http.Request) (*http.Response, error) {
			require.Equal(t, "https://api.anthropic.com/v1/messages", r.URL.String())
			return &http.Response{StatusCode: code, Header: http.Header{"Content-Type": {kind}, "Retry-After": {"3"}},
				Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
		})}}}
	reply, err := llm.Collect(p.Stream(t.Context(), llm.Request{Model: "m",
		Messages: []llm.Message{says(llm.RoleUser, llm.Text("Go."))}}), nil)
	return reply, llm.AsError(err)
}

type answers func(*http.Request) (*http.Response, error)

func (f answers) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// frame is one event of a stream; its type stands in the data.
func frame(data string) string {
	kind := strings.SplitN(strings.TrimPrefix(data, `{"type":"`), `"`, 2)[0]
	return "event: " + kind + "\ndata: " + data + "\n\n"
}

const begun = `{"type":"message_start","message":{"id":"m","model":"m-1","usage":{"input_tokens":7,"output_tokens":1,"cache_read_input_tokens":2,"cache_creation_input_tokens":3}}}`

func TestErrorsAreClassifiedByTheirType(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind, message string
		status        int
		want          string
	}{
		{"invalid_request_error", "messages: no", 400, events.ModelInvalidRequest},
		{"invalid_request_error", "prompt is too long: 3 tokens > 2 maximum", 400, events.ModelContextTooLong},
		{"invalid_request_error", "input length and `max_tokens` exceed context limit: 3 + 4 > 5", 400,
			events.ModelContextTooLong},
		{"invalid_request_error", "Your credit balance is too low", 400, events.ModelAuth},
		{"authentication_error", "invalid x-api-key sk-ant-secret", 401, events.ModelAuth},
		{"permission_error", "no", 403, events.ModelAuth},
		{"billing_error", "no", 402, events.ModelAuth},
		{"not_found_error", "model: m", 404, events.ModelInvalidRequest},
		{"request_too_large", "no", 413, events.ModelContextTooLong},
		{"rate_limit_error", "slow down", 429, events.ModelRateLimited},
		{"api_error", "oops", 500, events.ModelOverloaded},
		{"timeout_error", "oops", 504, events.ModelOverloaded},
		{"overloaded_error", "busy", 529, events.ModelOverloaded},
		{"error_of_tomorrow", "what", 500, events.ModelOverloaded},
	} {
		body := fmt.Sprintf(`{"type":"error","error":{"type":%q,"message":%q}}`, c.kind, c.message)
		_, failed := served(t, c.status, "application/json", body)
		require.Equal(t, c.want, failed.Kind, c.message)
		require.Equal(t, 3*time.Second, failed.RetryAfter)
		require.NotContains(t, failed.Error(), "sk-ant-secret")
		reply, failed := served(t, 200, "text/event-stream", frame(begun)+frame(body))
		require.Equal(t, c.want, failed.Kind, c.message)
		require.NotContains(t, failed.Error(), "sk-ant-secret")
		require.Empty(t, reply.Text)
		require.Equal(t, events.Usage{Input: 7, Output: 1, CacheRead: 2, CacheWrite: 3}, reply.Usage,
			"what was reported was paid for")
	}
}

func TestEveryReasonToStopIsUnderstood(t *testing.T) {
	t.Parallel()
	for reason, want := range map[string]string{
		"end_turn": "", "stop_sequence": "", "tool_use": "", "max_tokens": "", "pause_turn": events.ModelIncomplete,
		"refusal":                       events.ModelRefused,
		"model_context_window_exceeded": events.ModelContextTooLong, "of_tomorrow": events.ModelIncomplete,
		"": events.ModelIncomplete,
	} {
		reply, failed := served(t, 200, "text/event-stream", frame(begun)+
			frame(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`)+
			frame(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Yes."}}`)+
			frame(`{"type":"content_block_stop","index":0}`)+frame(`{"type":"message_delta","delta":{"stop_reason":"`+reason+
			`"},"usage":{"output_tokens":9}}`)+frame(`{"type":"message_stop"}`))
		require.Equal(t, events.Usage{Input: 7, Output: 9, CacheRead: 2, CacheWrite: 3}, reply.Usage,
			"what was paid for is known either way")
		if want != "" {
			require.Equal(t, want, failed.Kind, reason)
			require.Empty(t, reply.Text)
			continue
		}
		require.Nil(t, failed)
		require.Equal(t, "Yes.", reply.Text)
		require.Equal(t, "m-1", reply.Model)
		require.Equal(t, reason == "max_tokens", reply.Finish == llm.FinishMaxTokens)
	}
}

// FuzzNoStreamMakesAHalfAnswer strings events together as they come: whatever
// a server sends, there is no panic, and no reply without its end.
func FuzzNoStreamMakesAHalfAnswer(f *testing.F) {
	pool := []string{
		begun, `{"type":"ping"}`, `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"a"}}`,
		`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"c","name":"t","input":{}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":""}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"b"}}`,
		`{"type":"content_block_delta","index":0,"delta":{"type":"signature_delta","signature":"s"}}`,
		`{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"a\":"}}`,
		`{"type":"content_block_delta","index":-1,"delta":{"type":"text_delta","text":"b"}}`,
		`{"type":"content_block_stop","index":0}`, `{"type":"content_block_stop","index":1}`,
		`{"type":"of_tomorrow","index":9}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}`, `{"type":"message_stop"}`,
		`{"type":"error","error":{"type":"api_error"}}`, `{"type":`, `null`,
	}
	f.Add([]byte{0, 2, 5, 9, 12, 13})
	f.Add([]byte{0, 4, 6, 9, 3, 7, 10, 12, 13})
	f.Add([]byte{0, 2, 2, 12, 13})
	f.Add([]byte{0, 8, 16, 15, 14})
	f.Add([]byte{13, 12})
	f.Fuzz(func(t *testing.T, order []byte) {
		var stream strings.Builder
		stopped, whole := false, false
		for _, b := range order[:min(len(order), 64)] {
			data := pool[int(b)%len(pool)]
			stopped = stopped || strings.Contains(data, "end_turn")
			whole = whole || stopped && strings.Contains(data, "message_stop")
			stream.WriteString(frame(data))
		}
		reply, failed := served(t, 200, "text/event-stream", stream.String())
		if failed == nil {
			require.True(t, whole, "a reply has its end: %s", stream.String())
			return
		}
		require.True(t, llm.KnownKind(failed.Kind))
		require.Empty(t, reply.Text+string(reply.Raw))
		require.Empty(t, reply.Calls)
	})
}

func TestWithoutAKeyTheVendorIsNotAsked(t *testing.T) {
	t.Parallel()
	_, err := llm.Collect(anthropic.Provider{}.Stream(t.Context(), llm.Request{Model: "m",
		Messages: []llm.Message{says(llm.RoleUser, llm.Text("Go."))}}), nil)
	require.Equal(t, llm.NoKey("anthropic"), err)
	require.ErrorContains(t, err, "slop models anthropic")
	_, err = anthropic.Provider{}.Models(t.Context())
	require.Equal(t, llm.NoKey("anthropic"), err)
}
