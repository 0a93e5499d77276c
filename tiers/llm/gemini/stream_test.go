package gemini_test

import (
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tiers/llm"
)

const thoughtful = `data: {"candidates":[{"content":{"role":"model","parts":[{"text":"Hm","thought":true}]}}],"usageMetadata":{"promptTokenCount":100,"thoughtsTokenCount":3}}

: a comment
event: novelty
data: {"unknown":true}

data: {"candidates":[{"content":{"role":"model","parts":[{"text":"He"},{"text":"llo"}]}}]}

data: {"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"read_file","args":{"n":12345678901234567890}},"thoughtSignature":"c2ln"},{"functionCall":{"name":"list"}}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":100,"cachedContentTokenCount":80,"candidatesTokenCount":5,"thoughtsTokenCount":7},"modelVersion":"gemini-3-pro-001"}

`

func TestStreamReadsTextCallsUsageAndKeepsTheContentVerbatim(t *testing.T) {
	t.Parallel()
	p, bodies := answering(t, http.StatusOK, thoughtful)
	r := asking(model, nil)
	reply, err := llm.Collect(p.Stream(t.Context(), r), nil)
	require.NoError(t, err)
	require.Equal(t, "Hello", reply.Text, "thoughts are not said")
	require.Equal(t, events.Usage{Input: 20, CacheRead: 80, Output: 12, Thinking: 7}, reply.Usage, "the last counts")
	require.Equal(t, llm.FinishToolCalls, reply.Finish)
	require.Equal(t, "gemini-3-pro-001", reply.Model)
	require.Len(t, reply.Calls, 2)
	require.JSONEq(t, `{"n":12345678901234567890}`, string(reply.Calls[0].Args))
	require.JSONEq(t, `{}`, string(reply.Calls[1].Args))
	require.Contains(t, string(reply.Raw),
		`{"functionCall":{"name":"read_file","args":{"n":12345678901234567890}},"thoughtSignature":"c2ln"}`)

	body, err := p.Body(r)
	require.NoError(t, err)
	require.Equal(t, []string{"POST /v1beta/models/" + model + ":streamGenerateContent?alt=sse " + string(body)}, *bodies)
}

func TestAModelIsAskedAtItsOwnResource(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"gemini-x": "models/gemini-x", "models/gemini-x": "models/gemini-x",
		"tunedModels/mine": "tunedModels/mine"} {
		p, bodies := answering(t, http.StatusOK, thoughtful)
		_, err := llm.Collect(p.Stream(t.Context(), asking(name, nil)), nil)
		require.NoError(t, err)
		require.Len(t, *bodies, 1)
		require.Contains(t, (*bodies)[0], "POST /v1beta/"+want+":streamGenerateContent?alt=sse ")
	}
}

func TestAnAddressThatIsNoURLIsTheConfigurationsFault(t *testing.T) {
	t.Parallel()
	p, bodies := answering(t, http.StatusOK, thoughtful)
	p.Endpoint.BaseURL = "http://a b:x"
	bad, _ := failed(t, p, asking(model, nil))
	require.Equal(t, events.ModelInvalidRequest, bad.Kind)
	require.Contains(t, bad.Message, "base_url")
	require.Empty(t, *bodies)
}

func TestAReplyWithoutSignaturesHasNothingToSendBack(t *testing.T) {
	t.Parallel()
	p, _ := answering(t, http.StatusOK, strings.ReplaceAll(thoughtful, `,"thoughtSignature":"c2ln"`, ""))
	reply, err := llm.Collect(p.Stream(t.Context(), asking(model, nil)), nil)
	require.NoError(t, err)
	require.Nil(t, reply.Raw)
}

func TestReasonsToFinishMeanWhatToDo(t *testing.T) {
	t.Parallel()
	for reason, kind := range map[string]string{
		"SAFETY": events.ModelRefused, "RECITATION": events.ModelRefused, "BLOCKLIST": events.ModelRefused,
		"PROHIBITED_CONTENT": events.ModelRefused, "SPII": events.ModelRefused,
		"LANGUAGE": events.ModelRefused, "MALFORMED_FUNCTION_CALL": events.ModelIncomplete,
		"UNEXPECTED_TOOL_CALL": events.ModelIncomplete,
		"OTHER":                events.ModelIncomplete, "SOMETHING_NEW": events.ModelIncomplete,
		"FINISH_REASON_UNSPECIFIED": events.ModelIncomplete, "": events.ModelIncomplete,
	} {
		p, _ := answering(t, http.StatusOK, `data: {"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"`+
			reason+`"}],"usageMetadata":{"promptTokenCount":9}}`+"\n\n")
		bad, usage := failed(t, p, asking(model, nil))
		require.Equal(t, kind, bad.Kind, reason)
		require.Equal(t, int64(9), usage.Input, "it was paid for")
	}
	p, _ := answering(t, http.StatusOK, `data: {"promptFeedback":{"blockReason":"SAFETY"}}`+"\n\n")
	bad, _ := failed(t, p, asking(model, nil))
	require.Equal(t, events.ModelRefused, bad.Kind)
	p, _ = answering(t, http.StatusOK,
		`data: {"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"MAX_TOKENS"}]}`+"\n\n")
	reply, err := llm.Collect(p.Stream(t.Context(), asking(model, nil)), nil)
	require.NoError(t, err)
	require.Equal(t, llm.FinishMaxTokens, reply.Finish)
}

func TestErrorsAreClassifiedByTheirStatus(t *testing.T) {
	t.Parallel()
	cases := []struct {
		code          int
		status, extra string
		message, kind string
		wait          time.Duration
	}{
		{400, "INVALID_ARGUMENT", `{"reason":"API_KEY_INVALID"}`, "API key not valid.", events.ModelAuth, 0},
		{400, "INVALID_ARGUMENT", `{}`, "no such field", events.ModelInvalidRequest, 0},
		{400, "INVALID_ARGUMENT", `{}`, "The input token count (9) exceeds the maximum number of tokens allowed (8).",
			events.ModelContextTooLong, 0},
		{403, "PERMISSION_DENIED", `{}`, "no", events.ModelAuth, 0},
		{404, "NOT_FOUND", `{}`, "models/x is not found", events.ModelInvalidRequest, 0},
		{429, "RESOURCE_EXHAUSTED", `{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.5s"}`, "quota",
			events.ModelRateLimited, 34500 * time.Millisecond},
		{429, "RESOURCE_EXHAUSTED", `{"retryDelay":"90000s"}`, "quota", events.ModelRateLimited, time.Hour},
		{503, "UNAVAILABLE", `{}`, "busy", events.ModelOverloaded, 0},
		{500, "INTERNAL", `{}`, "oh", events.ModelOverloaded, 0},
	}
	for _, c := range cases {
		text := `{"error":{"code":` + strconv.Itoa(c.code) + `,"message":"` + c.message + `","status":"` + c.status +
			`","details":[` + c.extra + `]}}`
		p, _ := answering(t, c.code, text)
		bad, _ := failed(t, p, asking(model, nil))
		require.Equal(t, c.kind, bad.Kind, "%d %s", c.code, c.message)
		require.Equal(t, c.wait, bad.RetryAfter, "%d %s", c.code, c.message)

		p, _ = answering(t, http.StatusOK, "data: "+text+"\n\n")
		bad, _ = failed(t, p, asking(model, nil))
		require.Equal(t, c.kind, bad.Kind, "in the middle of a stream: %d %s", c.code, c.message)
		require.Equal(t, c.wait, bad.RetryAfter, "in the middle of a stream")
	}
}

func TestAnEventThatIsNoChunkEndsTheReply(t *testing.T) {
	t.Parallel()
	for _, data := range []string{"{", "[1]", `{"candidates":[{"content":{"parts":[7]}}]}`, `{"candidates":7}`} {
		p, _ := answering(t, http.StatusOK, "data: "+data+"\n\n"+thoughtful)
		bad, _ := failed(t, p, asking(model, nil))
		require.Equal(t, events.ModelIncomplete, bad.Kind, data)
	}
}

func TestWithoutAKeyNothingIsSent(t *testing.T) {
	t.Parallel()
	p, bodies := answering(t, http.StatusOK, thoughtful)
	p.Endpoint.Key = ""
	bad, _ := failed(t, p, asking(model, nil))
	require.Equal(t, events.ModelAuth, bad.Kind)
	require.Empty(t, *bodies)
}

func TestWhyAReplyEndedDoesNotTellTheKey(t *testing.T) {
	t.Parallel()
	p, _ := answering(t, http.StatusOK,
		`data: {"candidates":[{"finishReason":"SAFETY","finishMessage":"asked by k-1234567890"}]}`+"\n\n")
	p.Endpoint.Key = "k-1234567890"
	_, err := llm.Collect(p.Stream(t.Context(), asking(model, nil)), nil)
	require.ErrorContains(t, err, "asked by [key]")
}
