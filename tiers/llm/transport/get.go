package transport

import (
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
	call := Begin(e, Options{Silence: silence})
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
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
