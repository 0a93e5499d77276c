package openai

import (
	"cmp"
	"context"
	"encoding/json"
	"strings"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/transport"
)

var _ llm.Lister = Provider{}

// Models returns the models that the server has, or that the key gives access to. See
// https://platform.openai.com/docs/api-reference/models/list.
func (p Provider) Models(ctx context.Context) ([]string, error) {
	if err := p.reachable(); err != nil {
		return nil, err
	}
	var page struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if err := p.refusedKey(ctx); err != nil {
		return nil, err
	}
	if err := p.get(ctx, "/models", &page); err != nil {
		return nil, err
	}
	out := make([]string, len(page.Data))
	for i, m := range page.Data {
		out[i] = m.ID
	}
	return out, nil
}

// refusedKey returns the error for a key that does not work, if listing the models would not show
// it. A gateway may not have the path, which proves nothing.
func (p Provider) refusedKey(ctx context.Context) error {
	if p.Server.KeyPath == "" {
		return nil
	}
	var known json.RawMessage
	err := p.get(ctx, p.Server.KeyPath, &known)
	if failed := llm.AsError(err); failed != nil && failed.Kind == events.ModelAuth {
		return failed
	}
	return nil
}

// get fetches the document at a path below the address of the API.
func (p Provider) get(ctx context.Context, path string, out any) error {
	url, header := p.at(path)
	return transport.Get(ctx, p.Endpoint, p.Silence, url, header, refine, out)
}

// at returns the address of a path below that of the API, and the header with the key.
func (p Provider) at(path string) (url string, header map[string]string) {
	header = map[string]string{}
	if p.Endpoint.Key != "" {
		header["Authorization"] = "Bearer " + p.Endpoint.Key
	}
	return strings.TrimRight(cmp.Or(p.Endpoint.BaseURL, p.Server.BaseURL), "/") + path, header
}
