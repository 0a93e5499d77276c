package llmtest

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"manualslop/events"
)

// Anthropic starts a fake of the Messages API for a test.
// See https://platform.claude.com/docs/en/api/messages.
func Anthropic(t testing.TB, o Options) *Server {
	t.Helper()
	o.Vendor = "anthropic"
	return run(t, o)
}

// anthropicVersion is the only version of the API.
const anthropicVersion = "2023-06-01"

// anthropicModels returns the models that the fake serves.
func anthropicModels() []string {
	return []string{"claude-opus-5-5", "claude-sonnet-4-6", "claude-sonnet-4-5", "claude-haiku-4-5"}
}

// anthropic implements the Messages API.
type anthropic struct {
	models []string
	cache  anthropicCache

	mu sync.Mutex
	// thoughts holds thinking blocks by the id of a tool call of the same reply.
	thoughts map[string][]string
}

func newAnthropic(o Options) *anthropic {
	a := &anthropic{models: o.Models, thoughts: map[string][]string{}}
	if a.models == nil {
		a.models = anthropicModels()
	}
	a.cache.min = o.MinPrefix
	return a
}

func (*anthropic) key(r *http.Request) string { return r.Header.Get("X-Api-Key") }

func (*anthropic) wrongKey() int { return http.StatusUnauthorized }

func (*anthropic) bases(url string) []string {
	return []string{url, url + "/", url + "/v1", url + "/v1/"}
}

func (*anthropic) expects() map[Fault]string { return nil }

// other lists the models. It leaves unknown requests to read, which refuses them.
func (a *anthropic) other(w http.ResponseWriter, r *http.Request, _ []byte) bool {
	if r.Method != http.MethodGet || !isPath(r, "/v1/models") || a.headers(r) != nil {
		return false
	}
	type model struct {
		Type      string `json:"type"`
		ID        string `json:"id"`
		Name      string `json:"display_name"`
		CreatedAt string `json:"created_at"`
	}
	out := struct {
		Data    []model `json:"data"`
		HasMore bool    `json:"has_more"`
		FirstID string  `json:"first_id"`
		LastID  string  `json:"last_id"`
	}{Data: []model{}, FirstID: a.models[0], LastID: a.models[len(a.models)-1]}
	for _, m := range a.models {
		out.Data = append(out.Data, model{"model", m, m, "2026-01-01T00:00:00Z"})
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(out)
	return true
}

// headers checks the headers that every request needs.
func (*anthropic) headers(r *http.Request) *refusal {
	switch version := r.Header.Get("Anthropic-Version"); {
	case version == "":
		return refuse("anthropic-version: header is required")
	case version != anthropicVersion:
		return refuse("anthropic-version: " + version + " is not a version of this API")
	}
	return nil
}

// read checks a request for a reply.
func (a *anthropic) read(r *http.Request, body []byte) (View, *refusal) {
	if bad := a.headers(r); bad != nil {
		return View{}, bad
	}
	if r.Method != http.MethodPost || !isPath(r, "/v1/messages") {
		return View{}, &refusal{404, "", "Not found: " + r.Method + " " + r.URL.Path}
	}
	if !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
		return View{}, refuse("content-type must be application/json")
	}
	var q anthropicRequest
	if bad := decodeStrict(body, &q); bad != nil {
		return View{}, bad
	}
	if bad := q.parse(); bad != nil {
		return View{}, bad
	}
	if q.ContextManagement != nil && !strings.Contains(r.Header.Get("Anthropic-Beta"), "context-management-") {
		return View{}, refuse("context_management: Extra inputs are not permitted")
	}
	if q.Thinking != nil && q.Thinking.Binding != nil && !strings.Contains(r.Header.Get("Anthropic-Beta"),
		"thinking-binding-controls-2026-08-01") {
		return View{}, refuse("thinking.block_binding: Extra inputs are not permitted")
	}
	if !slices.Contains(a.models, q.Model) {
		return View{}, &refusal{404, "not_found", "model: " + q.Model}
	}
	for _, check := range a.checks() {
		if bad := check(&q); bad != nil {
			return View{}, bad
		}
	}
	return q.view(), nil
}

// anthropicType returns the vendor's type of an error.
func anthropicType(status int, kind string) string {
	switch kind {
	case events.ModelAuth:
		return "authentication_error"
	case events.ModelRateLimited:
		return "rate_limit_error"
	case events.ModelOverloaded:
		return "overloaded_error"
	case events.ModelInvalidRequest, events.ModelContextTooLong:
		return "invalid_request_error"
	}
	switch status {
	case http.StatusNotFound:
		return "not_found_error"
	case http.StatusRequestEntityTooLarge:
		return "request_too_large"
	}
	return "api_error"
}

func (*anthropic) status(kind string) int {
	switch kind {
	case events.ModelAuth:
		return 401
	case events.ModelRateLimited:
		return 429
	case events.ModelOverloaded:
		return 529
	case events.ModelInvalidRequest, events.ModelContextTooLong, events.ModelRefused, events.ModelExhausted:
		return 400
	}
	return 500
}

func (*anthropic) failure(status int, kind, message string) []byte {
	if kind == events.ModelContextTooLong && status == 400 {
		message = "prompt is too long: 200001 tokens > 200000 maximum; " + message
	}
	return mustJSON(map[string]any{"type": "error", "error": map[string]string{"type": anthropicType(status, kind),
		"message": message}, "request_id": "req_1"})
}

func (a *anthropic) errorFrame(kind, message string) string {
	return anthropicFrame("error", a.failure(200, kind, message))
}

func mustJSON(v any) []byte {
	out, err := json.Marshal(v)
	if err != nil {
		panic("llmtest: " + err.Error()) // plain values cannot fail
	}
	return out
}
