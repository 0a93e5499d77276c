package openai

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/transport"
)

// told is an error as a server reports it, in any of the formats that servers use.
type told struct {
	Message string
	Type    string
	Code    string
}

// kinds returns the error types and codes that are more specific than the status, or the only
// information once the stream has begun. The numbers are MiniMax's.
func kinds() map[string]string {
	return map[string]string{
		"context_length_exceeded": events.ModelContextTooLong, "exceed_context_size_error": events.ModelContextTooLong,
		"string_above_max_length": events.ModelContextTooLong,

		"insufficient_quota": events.ModelAuth, "billing_hard_limit_reached": events.ModelAuth, "arrearage": events.ModelAuth,
		"1008": events.ModelAuth, "1004": events.ModelAuth, "2049": events.ModelAuth,

		"content_filter": events.ModelRefused, "content_policy_violation": events.ModelRefused,
		"moderation_blocked":     events.ModelRefused,
		"data_inspection_failed": events.ModelRefused, "datainspectionfailed": events.ModelRefused,
		"1026": events.ModelRefused, "1027": events.ModelRefused,

		"1002": events.ModelRateLimited, "1039": events.ModelRateLimited, "1041": events.ModelRateLimited,
		"2045": events.ModelRateLimited,
		"2013": events.ModelInvalidRequest,
	}
}

// streamKinds returns the types and codes that only repeat the status; they are used if the status
// was 200.
func streamKinds() map[string]string {
	return map[string]string{
		"rate_limit_exceeded": events.ModelRateLimited, "rate_limit_error": events.ModelRateLimited,
		"rate_limit_reached_error": events.ModelRateLimited,
		"tokens":                   events.ModelRateLimited, "requests": events.ModelRateLimited,
		"invalid_api_key": events.ModelAuth, "authentication_error": events.ModelAuth, "permission_error": events.ModelAuth,
		"invalid_request_error": events.ModelInvalidRequest, "badrequesterror": events.ModelInvalidRequest,
		"model_not_found": events.ModelInvalidRequest, "not_found_error": events.ModelInvalidRequest,
	}
}

// tooLong returns phrases of servers that have no code for a prompt that is too long: DeepSeek and
// vLLM, OpenRouter, xAI, Qwen, MiniMax, llama.cpp.
func tooLong() []string {
	return []string{
		"maximum context length", "maximum prompt length", "range of input length", "context window exceeds",
		"exceeds the available context size", "context length exceeded", "prompt is too long",
	}
}

// wrongKey is part of the message with which xAI rejects an unknown key. It uses status 400 and a
// code that does not distinguish it from other bad requests.
const wrongKey = "incorrect api key"

// kind returns the kind of an error if it is more specific than its status, else "".
func (t told) kind() string {
	words := []string{strings.ToLower(t.Code), strings.ToLower(t.Type)}
	for _, word := range words {
		if kind := kinds()[word]; kind != "" {
			return kind
		}
	}
	said := strings.ToLower(t.Message)
	if strings.Contains(said, wrongKey) {
		return events.ModelAuth
	}
	if slices.ContainsFunc(tooLong(), func(phrase string) bool { return strings.Contains(said, phrase) }) {
		return events.ModelContextTooLong
	}
	return ""
}

// refine interprets a status of these servers. A message about the length of a prompt counts only
// if the status says that the request is at fault.
func refine(s *transport.Status) (kind, message string) {
	t, ok := parseError(s.Body)
	if !ok {
		return "", ""
	}
	kind = t.kind()
	if kind == events.ModelContextTooLong && (s.Code == 401 || s.Code == 403 || s.Code == 429) {
		kind = ""
	}
	return kind, ""
}

// errorIn returns the error in an event of a stream; nil if there is none.
func errorIn(data []byte) error {
	if !bytes.Contains(data, []byte(`"error"`)) && !bytes.Contains(data, []byte(`"base_resp"`)) {
		return nil
	}
	t, ok := parseError(data)
	if !ok {
		return nil
	}
	return &llm.Error{Kind: t.streamKind(), Message: "the server ended the answer with an error: " + clip(t.Message)}
}

// streamKind returns the kind of an error in a stream. An unknown error counts as a problem of the
// server.
func (t told) streamKind() string {
	if kind := t.kind(); kind != "" {
		return kind
	}
	if status, err := strconv.Atoi(t.Code); err == nil && status >= 400 && status <= 599 {
		return transport.Kind(status)
	}
	for _, word := range []string{strings.ToLower(t.Code), strings.ToLower(t.Type)} {
		if kind := streamKinds()[word]; kind != "" {
			return kind
		}
	}
	return events.ModelOverloaded
}

// parseError reads {"error":{message, type, code}}, {"error":"…"} with a code next to it,
// {"object":"error", …} and MiniMax's base_resp. It returns false for anything else.
func parseError(data []byte) (told, bool) {
	var outer struct {
		Object   string          `json:"object"`
		Error    json.RawMessage `json:"error"`
		Message  string          `json:"message"`
		Type     string          `json:"type"`
		Code     json.RawMessage `json:"code"`
		BaseResp struct {
			Code    int    `json:"status_code"`
			Message string `json:"status_msg"`
		} `json:"base_resp"`
	}
	if json.Unmarshal(data, &outer) != nil {
		return told{}, false
	}
	var inner struct {
		Message string          `json:"message"`
		Type    string          `json:"type"`
		Code    json.RawMessage `json:"code"`
	}
	var short string
	switch {
	case outer.BaseResp.Code != 0:
		return told{Message: outer.BaseResp.Message, Code: strconv.Itoa(outer.BaseResp.Code)}, true
	case outer.Object == "error":
		return told{outer.Message, outer.Type, word(outer.Code)}, true
	case len(outer.Error) == 0 || string(outer.Error) == "null":
		return told{}, false
	case json.Unmarshal(outer.Error, &short) == nil:
		return told{short, outer.Type, word(outer.Code)}, true
	case json.Unmarshal(outer.Error, &inner) == nil:
		return told{inner.Message, inner.Type, word(inner.Code)}, true
	}
	return told{Message: "an error of unknown format"}, true
}

// word returns a JSON string or number as text.
func word(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return strings.TrimSpace(string(raw))
}

// clip limits a server's text so that it fits into a message.
func clip(s string) string {
	return strings.ToValidUTF8(s[:min(len(s), llm.MaxMessage/2)], "")
}
