package llmtest

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"manualslop/events"
)

// Gemini starts a fake of the Gemini Developer API for a test.
// See https://ai.google.dev/api/generate-content.
func Gemini(t testing.TB, o Options) *Server {
	t.Helper()
	o.Vendor = "gemini"
	return run(t, o)
}

// geminiModels returns the models that the fake serves.
func geminiModels() []string {
	return []string{"gemini-3.1-pro-preview", "gemini-3-pro-preview", "gemini-3.5-flash", "gemini-3.8-flash",
		"gemini-flash-latest", "gemini-2.5-pro", "gemini-2.5-flash", "gemini-2.5-flash-lite", "gemini-2.0-flash"}
}

// gemini implements the Gemini Developer API.
type gemini struct {
	models []string
	seen   prefixes // prefixes of answered prompts
	min    int64    // number of tokens below which nothing is cached; 0: the model's
}

func newGemini(o Options) *gemini {
	g := &gemini{models: o.Models, min: o.MinPrefix}
	if g.models == nil {
		g.models = geminiModels()
	}
	return g
}

func (*gemini) key(r *http.Request) string { return r.Header.Get("X-Goog-Api-Key") }

// wrongKey returns the status for an unknown key; the response has a detail.
func (*gemini) wrongKey() int { return http.StatusBadRequest }

func (*gemini) bases(url string) []string {
	return []string{url, url + "/", url + "/v1beta", url + "/v1beta/"}
}

// expects differs because this API has no indexes and sends arguments only complete, so an
// unfinished call ends the reply.
func (*gemini) expects() map[Fault]string {
	return map[Fault]string{DuplicateIndex: "", BrokenArgs: events.ModelIncomplete, CutInCall: events.ModelIncomplete}
}

// other lists the models.
func (g *gemini) other(w http.ResponseWriter, r *http.Request, _ []byte) bool {
	if r.Method != http.MethodGet || !isPath(r, "/v1beta/models") {
		return false
	}
	list := []any{}
	for _, m := range g.models {
		list = append(list, map[string]any{"name": "models/" + m, "displayName": m, "inputTokenLimit": 1_048_576,
			"outputTokenLimit":           65_536,
			"supportedGenerationMethods": []string{"generateContent", "createCachedContent"}})
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(mustJSON(map[string]any{"models": list}))
	return true
}

var geminiPath = regexp.MustCompile(`^/v1beta/models/([^/:]+):streamGenerateContent$`)

// read parses and checks a request for a reply.
func (g *gemini) read(r *http.Request, body []byte) (View, *refusal) {
	path := geminiPath.FindStringSubmatch(r.URL.Path)
	switch {
	case r.Method != http.MethodPost || path == nil:
		return View{}, &refusal{404, "not_found", "Requested entity was not found: " + r.Method + " " + r.URL.Path}
	case r.URL.Query().Get("alt") != "sse":
		return View{}, refuse("llmtest: this fake streams only; ask with alt=sse")
	case !strings.HasPrefix(r.Header.Get("Content-Type"), "application/json"):
		return View{}, refuse("Invalid JSON payload received: the content type is not application/json")
	}
	var q geminiRequest
	if bad := decodeStrict(body, &q); bad != nil {
		return View{}, bad
	}
	q.model = path[1]
	if !slices.Contains(g.models, q.model) {
		return View{}, &refusal{404, "not_found", "models/" + q.model + " is not found for API version v1beta, or is not " +
			"supported for generateContent."}
	}
	for _, check := range geminiChecks() {
		if bad := check(&q); bad != nil {
			return View{}, bad
		}
	}
	return q.view(), nil
}

// geminiStatus returns the google.rpc.Code name of an error.
func geminiStatus(status int, kind string) string {
	switch kind {
	case events.ModelRateLimited:
		return "RESOURCE_EXHAUSTED"
	case events.ModelOverloaded:
		return "UNAVAILABLE"
	case events.ModelInvalidRequest, events.ModelContextTooLong:
		return "INVALID_ARGUMENT"
	}
	switch status {
	case http.StatusBadRequest:
		return "INVALID_ARGUMENT"
	case http.StatusUnauthorized:
		return "UNAUTHENTICATED"
	case http.StatusForbidden:
		return "PERMISSION_DENIED"
	case http.StatusNotFound:
		return "NOT_FOUND"
	case http.StatusTooManyRequests:
		return "RESOURCE_EXHAUSTED"
	case http.StatusServiceUnavailable:
		return "UNAVAILABLE"
	}
	return "INTERNAL"
}

func (*gemini) status(kind string) int {
	switch kind {
	case events.ModelAuth:
		return 403
	case events.ModelRateLimited:
		return 429
	case events.ModelOverloaded:
		return 503
	case events.ModelInvalidRequest, events.ModelContextTooLong, events.ModelRefused, events.ModelExhausted:
		return 400
	}
	return 500
}

func (*gemini) failure(status int, kind, message string) []byte {
	if kind == events.ModelContextTooLong && status == 400 {
		message = "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576). " + message
	}
	said := map[string]any{"code": status, "message": message, "status": geminiStatus(status, kind)}
	if kind == events.ModelAuth && status == http.StatusBadRequest {
		said["details"] = []any{map[string]any{"@type": "type.googleapis.com/google.rpc.ErrorInfo",
			"reason": "API_KEY_INVALID", "domain": "googleapis.com"}}
	}
	return mustJSON(map[string]any{"error": said})
}

func (g *gemini) errorFrame(kind, message string) string {
	return geminiFrame(json.RawMessage(g.failure(g.status(kind), kind, message)))
}

func geminiFrame(v any) string { return "data: " + string(mustJSON(v)) + "\n\n" }
