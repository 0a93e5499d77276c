package anthropic

import (
	"context"

	"manualslop/tiers/llm"
	"manualslop/tiers/llm/transport"
)

var _ llm.Lister = Provider{}

// Models are the models that the key opens.
// See https://platform.claude.com/docs/en/api/models-list.
func (p Provider) Models(ctx context.Context) ([]llm.ModelInfo, error) {
	var page struct {
		Data []struct {
			ID        string `json:"id"`
			MaxInput  int64  `json:"max_input_tokens"`
			MaxTokens int64  `json:"max_tokens"`
		} `json:"data"`
	}
	if p.keyless() {
		return nil, llm.NoKey(Name)
	}
	header := map[string]string{"X-Api-Key": p.Endpoint.Key, "Anthropic-Version": "2023-06-01"}
	if err := transport.Get(ctx, p.Endpoint, p.Silence, base(p.Endpoint.BaseURL)+"v1/models?limit=1000", header, refine, &page); err != nil {
		return nil, err
	}
	out := make([]llm.ModelInfo, len(page.Data))
	for i, m := range page.Data {
		out[i] = llm.ModelInfo{ID: m.ID, ContextWindow: m.MaxInput, MaxOutputTokens: m.MaxTokens}
	}
	return out, nil
}
