package openai

import (
	"cmp"
	"context"
	"iter"
	"net/http"
	"strings"
	"time"

	openai "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/packages/ssestream"

	"manualslop/tiers/llm"
	"manualslop/tiers/llm/transport"
)

// Wire names the format and version of the bodies.
const Wire = "openai/5"

// Provider reaches the models of one server.
type Provider struct {
	Server   Server
	Endpoint llm.Endpoint
	// Silence is how long an answer may stay silent; 0 means the default of [transport.Options].
	Silence time.Duration
}

var _ llm.Provider = Provider{}

// Name returns the server's name.
func (p Provider) Name() string { return p.Server.Name }

// Wire returns the format of Body.
func (Provider) Wire() string { return Wire }

// Body returns the JSON that Stream sends.
func (p Provider) Body(r llm.Request) ([]byte, error) {
	if p.Server.family(r.Model).Responses {
		return p.Server.responses(r)
	}
	return p.Server.build(r)
}

// Stream makes one attempt at a reply.
func (p Provider) Stream(ctx context.Context, r llm.Request) iter.Seq2[llm.Chunk, error] {
	return func(yield func(llm.Chunk, error) bool) {
		body, err := r.BodyBy(p)
		if err == nil {
			err = p.reachable()
		}
		if err != nil {
			yield(nil, err)
			return
		}
		call := transport.Begin(p.Endpoint, transport.Options{Stream: true, Silence: p.Silence, Body: body})
		path, reply := "chat/completions", reader(&answer{reading: reading{server: p.Server, request: r}})
		if p.Server.family(r.Model).Responses {
			path, reply = "responses", &response{reading: reading{server: p.Server, request: r}}
		}
		yield = call.Watch(yield)
		stream, err := p.ask(ctx, call, path, body)
		if err != nil {
			yield(nil, call.Error(ctx, err, refine))
			return
		}
		decoder := ssestream.NewDecoder(stream)
		defer func() { _ = decoder.Close() }()
		if more, err := read(ctx, decoder, reply, yield); more && err != nil {
			yield(nil, call.Error(ctx, err, refine))
		}
	}
}

// reachable returns an error if a setting is missing that is needed to send a request.
func (p Provider) reachable() error {
	switch {
	case p.Endpoint.BaseURL == "" && p.Server.BaseURL == "":
		return llm.Unsendable("%s has no address; set its base_url", p.Server.Name)
	case p.Endpoint.BaseURL == "" && p.Server.NeedsKey && p.Endpoint.Key == "":
		return llm.NoKey(p.Server.Name)
	}
	return nil
}

// ask sends the body and returns the response once its header arrived. It builds the client
// without the library's constructor, which reads the environment.
func (p Provider) ask(ctx context.Context, call *transport.Call, path string, body []byte) (*http.Response, error) {
	client := openai.Client{Options: []option.RequestOption{
		option.WithHTTPClient(call.Client()), option.WithMaxRetries(0),
		option.WithBaseURL(strings.TrimRight(cmp.Or(p.Endpoint.BaseURL, p.Server.BaseURL), "/") + "/"),
		option.WithHeader("Accept", "text/event-stream"),
	}}
	if p.Endpoint.Key != "" {
		client.Options = append(client.Options, option.WithAPIKey(p.Endpoint.Key))
	}
	var response *http.Response
	if err := client.Post(ctx, path, body, &response); err != nil {
		return nil, err
	}
	return response, nil
}
