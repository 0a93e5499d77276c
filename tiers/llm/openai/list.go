package openai

import (
	"cmp"
	"context"
	"strings"

	"manualslop/tiers/llm"
	"manualslop/tiers/llm/transport"
)

var _ llm.Lister = Provider{}

// Models are the models that the server has, or that the key opens; these servers
// do not say their limits. See https://platform.openai.com/docs/api-reference/models/list.
func (p Provider) Models(ctx context.Context) ([]llm.ModelInfo, error) {
	if err := p.reachable(); err != nil {
		return nil, err
	}
	var page struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	header := map[string]string{}
	if p.Endpoint.Key != "" {
		header["Authorization"] = "Bearer " + p.Endpoint.Key
	}
	url := strings.TrimRight(cmp.Or(p.Endpoint.BaseURL, p.Server.BaseURL), "/") + "/models"
	if err := transport.Get(ctx, p.Endpoint, p.Silence, url, header, refine, &page); err != nil {
		return nil, err
	}
	out := make([]llm.ModelInfo, len(page.Data))
	for i, m := range page.Data {
		out[i] = llm.ModelInfo{ID: m.ID}
	}
	return out, nil
}
