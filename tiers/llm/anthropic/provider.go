package anthropic

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"strings"
	"time"

	sdk "github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/packages/ssestream"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/transport"
)

// Name is the provider's name in the configuration and in the record.
const Name = "anthropic"

// wire is the version of Body; see [llm.Provider.Wire].
const wire = "anthropic/4"

// betas is the header that lists the enabled betas.
const betas = "Anthropic-Beta"

// BaseURL is the vendor's default address.
const BaseURL = "https://api.anthropic.com"

// Provider reaches models through the Messages API.
type Provider struct {
	Endpoint llm.Endpoint
	// Silence is how long an answer may stay silent; 0 means the default of [transport.Options].
	Silence time.Duration
}

var _ llm.Provider = Provider{}

// Name is "anthropic".
func (Provider) Name() string { return Name }

// Wire returns the format of Body.
func (Provider) Wire() string { return wire }

// keyless reports whether the request would go to the vendor's own address without a key. A
// gateway that the user configured may need none.
func (p Provider) keyless() bool { return p.Endpoint.Key == "" && p.Endpoint.BaseURL == "" }

// Stream makes one attempt at a reply.
func (p Provider) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		body, err := r.BodyBy(p)
		if err != nil {
			yield(nil, err)
			return
		}
		if p.keyless() {
			yield(nil, llm.NoKey(Name))
			return
		}
		call := transport.Begin(p.Endpoint, transport.Options{Stream: true, Silence: p.Silence, Body: body, List: betas})
		yield = call.Watch(yield)
		stream := p.open(ctx, call, r)
		defer func() { _ = stream.Close() }() // a close error does not matter here
		a := newAccumulator(r)
		for stream.Next() {
			for _, c := range a.take(stream.Current()) {
				if !yield(c, nil) {
					return
				}
			}
			if a.failed != nil || a.done {
				break
			}
		}
		if failed := call.Error(ctx, a.outcome(classified(stream.Err())), refine); failed != nil && !a.done {
			yield(nil, failed)
		}
	}
}

// open sends the request. The parameters only select the SDK method; the transport replaces the
// body with ours.
func (p Provider) open(ctx context.Context, call *transport.Call,
	r llm.Request) *ssestream.Stream[sdk.MessageStreamEventUnion] {
	options := []option.RequestOption{
		option.WithoutEnvironmentDefaults(), option.WithoutOpenTelemetry(), option.WithMaxRetries(0),
		option.WithBaseURL(base(p.Endpoint.BaseURL)), option.WithHTTPClient(call.Client()),
	}
	if p.Endpoint.Key != "" {
		options = append(options, option.WithAPIKey(p.Endpoint.Key))
	}
	switch f := familyOf(r.Model); {
	case f.binds:
		options = append(options, option.WithHeader(betas, dropping))
	case f.interleaves && r.Params.Effort != "" && r.Params.Effort != "off":
		options = append(options, option.WithHeader(betas, interleaved))
	}
	client := sdk.NewClient(options...)
	return client.Messages.NewStreaming(ctx, sdk.MessageNewParams{Model: r.Model})
}

// base returns the base address, to which the SDK appends v1/messages.
func base(url string) string {
	if url == "" {
		url = BaseURL
	}
	return strings.TrimSuffix(strings.TrimRight(url, "/"), "/v1") + "/"
}

// vendorError is the body of an error response or of an error event in a stream.
// See https://platform.claude.com/docs/en/api/errors.
type vendorError struct {
	Error struct {
		Type    string `json:"type"`
		Message string `json:"message"`
	} `json:"error"`
}

// kind returns the kind of a vendor error; empty if it is not known.
func (e vendorError) kind() string {
	switch e.Error.Type {
	case "authentication_error", "permission_error", "billing_error":
		return events.ModelAuth
	case "rate_limit_error":
		return events.ModelRateLimited
	case "overloaded_error", "api_error", "timeout_error":
		return events.ModelOverloaded
	case "request_too_large":
		return events.ModelContextTooLong
	case "invalid_request_error":
		said := e.Error.Message
		if strings.Contains(said, "prompt is too long") || strings.Contains(said, "exceed context limit") {
			return events.ModelContextTooLong
		}
		if strings.Contains(said, "credit balance") {
			return events.ModelAuth
		}
		return events.ModelInvalidRequest
	case "not_found_error":
		return events.ModelInvalidRequest
	}
	return ""
}

// refine classifies an error response by its body.
func refine(s *transport.Status) (kind, message string) {
	var e vendorError
	if json.Unmarshal(s.Body, &e) != nil {
		return "", ""
	}
	return e.kind(), ""
}

// classified converts an error inside a stream, whose status is 200, to an [*llm.Error]. It
// returns any other error unchanged.
func classified(err error) error {
	inside, ok := errors.AsType[*sdk.Error](err)
	if !ok {
		return err
	}
	var e vendorError
	if json.Unmarshal([]byte(inside.RawJSON()), &e) != nil || e.kind() == "" {
		return &llm.Error{Kind: events.ModelOverloaded, Message: "the stream ended with an unknown error: " +
			inside.RawJSON()}
	}
	return &llm.Error{Kind: e.kind(), Message: "the stream ended with an error: " + e.Error.Type + ": " + e.Error.Message}
}
