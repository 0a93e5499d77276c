package llmtest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"manualslop/events"
)

// OpenAI starts a fake of the named flavour of OpenAI's API for a test.
func OpenAI(t testing.TB, flavour string, o Options) *Server {
	t.Helper()
	o.Vendor = flavour
	return run(t, o)
}

// openAI implements the API of OpenAI and compatible servers: Chat Completions, and the part of
// Responses that Codex uses.
type openAI struct {
	flavour  Flavour
	expected string // the valid key
	models   []string
	cache    steps
}

// openAIModel is the model that a fake serves by default.
const openAIModel = "gpt-5-mini"

func newOpenAI(f Flavour, o Options) *openAI {
	w := &openAI{flavour: f, expected: firstOf(o.Key, Key), models: o.Models, cache: steps{least: o.MinPrefix}}
	if w.models == nil {
		w.models = []string{openAIModel}
	}
	if w.cache.least == 0 {
		w.cache.least = 1024
	}
	return w
}

func (w *openAI) key(r *http.Request) string {
	if w.flavour.Keyless && r.Header.Get("Authorization") == "" || w.flavour.OpenList && isOpenAI(r, "/models") {
		return w.expected
	}
	key, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		return ""
	}
	return key
}

func (w *openAI) wrongKey() int {
	if w.flavour.Errors == errorsShort {
		return http.StatusBadRequest
	}
	return http.StatusUnauthorized
}

// isOpenAI reports whether a request is for a path, with or without the version prefix.
func isOpenAI(r *http.Request, path string) bool { return isPath(r, "/v1"+path) || isPath(r, path) }

func (w *openAI) other(out http.ResponseWriter, r *http.Request, _ []byte) bool {
	if r.Method == http.MethodGet && w.flavour.OpenList && isOpenAI(r, "/key") {
		out.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(out, `{"data":{"label":"llmtest"}}`)
		return true
	}
	if r.Method != http.MethodGet || !isOpenAI(r, "/models") {
		return false
	}
	type model struct {
		ID     string `json:"id"`
		Object string `json:"object"`
	}
	list := []model{}
	for _, name := range w.models {
		list = append(list, model{name, "model"})
	}
	out.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(out).Encode(map[string]any{"object": "list", "data": list})
	return true
}

func (w *openAI) read(r *http.Request, body []byte) (View, *refusal) {
	switch {
	case r.Method == http.MethodPost && isOpenAI(r, "/chat/completions"):
		return w.readChat(body)
	case r.Method == http.MethodPost && isOpenAI(r, "/responses") && w.flavour.Name == "openai":
		return w.readResponses(body)
	}
	return View{}, &refusal{404, events.ModelInvalidRequest, fmt.Sprintf("Invalid URL (%s %s)", r.Method, r.URL.Path)}
}

// known rejects unknown models.
func (w *openAI) known(model string) *refusal {
	if slices.Contains(w.models, model) {
		return nil
	}
	return &refusal{404, events.ModelInvalidRequest, fmt.Sprintf("The model `%s` does not exist or you do not have "+
		"access to it.", model)}
}

func (w *openAI) count(v View) events.Usage {
	prompt, ok := v.wire.(interface{ prompt() string })
	if !ok {
		return events.Usage{}
	}
	return w.cache.count(prompt.prompt())
}

func (w *openAI) frames(v View, t Turn, u events.Usage) []string {
	if r, ok := v.wire.(responsesRequest); ok {
		return responsesFrames(r, t, u)
	}
	r, ok := v.wire.(chatRequest)
	switch {
	case ok:
	case w.flavour.Name == "openai" && !completesWithTools(v.Model, ""): // frames without a request
		return responsesFrames(responsesRequest{Model: v.Model}, t, u)
	default:
		r.Model = v.Model
	}
	return w.flavour.chatFrames(r, t, u)
}

// ends reports whether a frame is the chunk with a finish_reason; the usage and [DONE] after it
// are not part of the reply.
func (w *openAI) ends(frame string) bool {
	return strings.Contains(frame, `"finish_reason":"`) || strings.Contains(frame, `"type":"response.completed"`) ||
		strings.Contains(frame, `"type":"response.incomplete"`)
}

func (w *openAI) errorFrame(kind, message string) string {
	return "data: " + string(w.failure(w.status(kind), kind, message)) + "\n\n"
}

// failure returns an error in the flavour's format.
func (w *openAI) failure(status int, kind, message string) []byte {
	typ, code := openAIError(kind)
	switch w.flavour.Errors {
	case errorsFlat:
		if kind == events.ModelContextTooLong {
			message = "This model's maximum context length is 4096 tokens. " + message
		}
		return mustJSON(map[string]any{"object": "error", "message": message, "type": "BadRequestError", "code": status})
	case errorsShort:
		switch kind {
		case events.ModelContextTooLong:
			message = "This model's maximum prompt length is 4096. " + message
		case events.ModelAuth:
			message = "Incorrect API key provided. " + message
		}
		return mustJSON(map[string]any{"code": "Some error", "error": message})
	case errorsInWords:
		if kind == events.ModelContextTooLong {
			code, message = "invalid_request_error", "This model's maximum context length is 4096 tokens. "+message
		}
	case errorsOfOpenAI:
	}
	return mustJSON(map[string]any{"error": map[string]any{"message": message, "type": typ, "param": nil, "code": code}})
}

// openAIError returns the type and the code for a kind of error.
func openAIError(kind string) (typ, code string) {
	switch kind {
	case events.ModelContextTooLong:
		return "invalid_request_error", "context_length_exceeded"
	case events.ModelAuth:
		return "invalid_request_error", "invalid_api_key"
	case events.ModelRateLimited:
		return "requests", "rate_limit_exceeded"
	case events.ModelInvalidRequest:
		return "invalid_request_error", "invalid_value"
	case events.ModelRefused:
		return "invalid_request_error", "content_policy_violation"
	}
	return "server_error", "server_error"
}

func (w *openAI) status(kind string) int {
	switch kind {
	case events.ModelAuth:
		return 401
	case events.ModelRateLimited:
		return 429
	case events.ModelOverloaded:
		return 503
	case events.ModelContextTooLong, events.ModelInvalidRequest, events.ModelRefused:
		return 400
	}
	return 500
}

// expects allows two calls with one index, because Ollama sends them like that.
func (w *openAI) expects() map[Fault]string { return map[Fault]string{DuplicateIndex: ""} }

func (w *openAI) bases(url string) []string {
	return []string{url + "/v1", url + "/v1/", url, url + "/"}
}

// chatEvent returns v as an event of a stream.
func chatEvent(v any) string { return "data: " + string(mustJSON(v)) + "\n\n" }
