package anthropic

import (
	"context"

	"manualslop/tiers/llm"
	"manualslop/tiers/llm/transport"
)

var _ llm.Lister = Provider{}

// Models returns the models that the key gives access to. See
// https://platform.claude.com/docs/en/api/models-list.
func (p Provider) Models(ctx context.Context) ([]string, error) {
	var page struct {
		Data []struct {
			ID string `json:"id"`
		} `json:"data"`
	}
	if p.keyless() {
		return nil, llm.NoKey(Name)
	}
	header := map[string]string{"X-Api-Key": p.Endpoint.Key, "Anthropic-Version": "2023-06-01"}
	if err := transport.Get(ctx, p.Endpoint, p.Silence, base(p.Endpoint.BaseURL)+"v1/models?limit=1000", header, refine,
		&page); err != nil {
		return nil, err
	}
	out := make([]string, len(page.Data))
	for i, m := range page.Data {
		out[i] = m.ID
	}
	return out, nil
}
