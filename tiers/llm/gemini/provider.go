package gemini

import (
	"cmp"
	"context"
	"net/http"
	"strings"
	"time"

	"google.golang.org/genai"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/transport"
)

// Name is the provider's name in the configuration and on the record.
const Name = "gemini"

// wire is the format of Body and its version.
const wire = "gemini/4"

// apiVersion is the version of the API that has thought signatures.
const apiVersion = "v1beta"

// baseURL is the vendor's own address.
const baseURL = "https://generativelanguage.googleapis.com"

// Provider reaches Gemini models. Its zero value has no key and fails with auth.
type Provider struct {
	Endpoint llm.Endpoint
	// Silence is how long an answer may bring nothing; 0: the transport's own.
	Silence time.Duration
}

// Name is the provider's name.
func (Provider) Name() string { return Name }

// Wire is the format of Body.
func (Provider) Wire() string { return wire }

// client is the SDK's client for one attempt, with nothing from the environment.
func (p Provider) client(ctx context.Context, carrier http.RoundTripper) (*genai.Client, error) {
	if p.Endpoint.Key == "" {
		return nil, llm.NoKey(Name)
	}
	client, err := genai.NewClient(ctx, &genai.ClientConfig{
		APIKey:     p.Endpoint.Key,
		Backend:    genai.BackendGeminiAPI,
		HTTPClient: &http.Client{Transport: carrier, CheckRedirect: keepHere},
		HTTPOptions: genai.HTTPOptions{
			BaseURL:    p.address(),
			APIVersion: apiVersion,
		},
	})
	if err != nil {
		return nil, &llm.Error{Kind: events.ModelInvalidRequest, Message: "the client of gemini cannot be made; check base_url in [providers.gemini]"}
	}
	return client, nil
}

// address is the API's without the version, which a configured one may have.
func (p Provider) address() string {
	at := strings.TrimRight(p.Endpoint.BaseURL, "/")
	return cmp.Or(strings.TrimSuffix(at, "/"+apiVersion), baseURL)
}

// keepHere follows no redirect, which would take the key along.
func keepHere(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }

// begin makes the transport of one attempt.
func (p Provider) begin(o transport.Options) *transport.Call {
	o.Silence = p.Silence
	return transport.Begin(p.Endpoint, o)
}
