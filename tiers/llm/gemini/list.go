package gemini

import (
	"context"
	"strings"

	"manualslop/tiers/llm"
	"manualslop/tiers/llm/transport"
)

var _ llm.Lister = Provider{}

// Models are the models that the key opens. See https://ai.google.dev/api/models.
func (p Provider) Models(ctx context.Context) ([]llm.ModelInfo, error) {
	if p.Endpoint.Key == "" {
		return nil, llm.NoKey(Name)
	}
	var page struct {
		Models []struct {
			Name   string `json:"name"`
			Input  int64  `json:"inputTokenLimit"`
			Output int64  `json:"outputTokenLimit"`
		} `json:"models"`
	}
	url := strings.TrimRight(p.address(), "/") + "/" + apiVersion + "/models?pageSize=1000"
	if err := transport.Get(ctx, p.Endpoint, p.Silence, url, map[string]string{"X-Goog-Api-Key": p.Endpoint.Key}, refine, &page); err != nil {
		return nil, err
	}
	out := make([]llm.ModelInfo, len(page.Models))
	for i, m := range page.Models {
		out[i] = llm.ModelInfo{ID: strings.TrimPrefix(m.Name, "models/"), ContextWindow: m.Input, MaxOutputTokens: m.Output}
	}
	return out, nil
}
