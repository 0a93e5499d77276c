package gemini

import (
	"bytes"
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/transport"
)

// Name is the provider's name in the configuration and in the record.
const Name = "gemini"

// wire is the format of Body and its version.
const wire = "gemini/4"

// apiVersion is the version of the API that supports thought signatures.
const apiVersion = "v1beta"

// baseURL is the vendor's default address.
const baseURL = "https://generativelanguage.googleapis.com"

// keyHeader is the header that carries the key.
const keyHeader = "X-Goog-Api-Key"

// Provider reaches Gemini models. The zero value has no key, so its calls fail with kind auth.
type Provider struct {
	Endpoint llm.Endpoint
	// Silence is how long an answer may stay silent; 0 means the transport's default.
	Silence time.Duration
}

// Name returns the provider's name.
func (Provider) Name() string { return Name }

// Wire returns the format of Body.
func (Provider) Wire() string { return wire }

// url returns the address of a resource of the API. A configured base URL may already include the
// version.
func (p Provider) url(resource string) string {
	base := strings.TrimSuffix(strings.TrimRight(p.Endpoint.BaseURL, "/"), "/"+apiVersion)
	return cmp.Or(strings.TrimRight(base, "/"), baseURL) + "/" + apiVersion + "/" + resource
}

// ask sends the body and returns the response once its header arrived.
func (p Provider) ask(ctx context.Context, call *transport.Call, model string, body []byte) (*http.Response, error) {
	resource := model
	if !strings.Contains(model, "/") {
		resource = "models/" + model
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url(resource+":streamGenerateContent?alt=sse"),
		bytes.NewReader(body))
	if err != nil {
		return nil, &llm.Error{Kind: events.ModelInvalidRequest, Message: "base_url in [providers.gemini] is not a URL"}
	}
	req.Header.Set(keyHeader, p.Endpoint.Key)
	req.Header.Set("Content-Type", "application/json")
	return call.Client().Do(req)
}
