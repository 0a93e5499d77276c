package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"time"

	"manualslop/events"
	"manualslop/tiers/llm"
)

// Get fetches a JSON document from an API and decodes it into out. It sends the given headers in
// addition to those of e. The error is an [*llm.Error].
func Get(ctx context.Context, e llm.Endpoint, silence time.Duration, url string, header map[string]string,
	refine Refine, out any) error {
	return fetch(ctx, e, Options{Silence: silence}, http.MethodGet, url, header, refine, out)
}

// Post is like Get, but sends in as JSON.
func Post(ctx context.Context, e llm.Endpoint, silence time.Duration, url string, header map[string]string,
	refine Refine, in, out any) error {
	body, err := json.Marshal(in)
	if err != nil {
		return llm.Unsendable("the request cannot be encoded as JSON: %s", err)
	}
	return fetch(ctx, e, Options{Silence: silence, Body: body}, http.MethodPost, url, header, refine, out)
}

func fetch(ctx context.Context, e llm.Endpoint, o Options, method, url string, header map[string]string, refine Refine,
	out any) error {
	call := Begin(e, o)
	req, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(o.Body))
	if err != nil {
		return &llm.Error{Kind: events.ModelInvalidRequest, Message: "base_url is not a valid URL"}
	}
	for name, value := range header {
		req.Header.Set(name, value)
	}
	resp, err := call.Client().Do(req)
	if err == nil {
		defer func() { _ = resp.Body.Close() }() // already read
		var body []byte
		if body, err = io.ReadAll(resp.Body); err == nil && json.Unmarshal(body, out) != nil {
			err = errors.New("the answer is not the expected JSON")
		}
	}
	if failed := call.Error(ctx, err, refine); failed != nil {
		return failed
	}
	return nil
}
