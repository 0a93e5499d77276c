package gemini

import (
	"context"
	"strings"

	"manualslop/tiers/llm"
	"manualslop/tiers/llm/transport"
)

var _ llm.Lister = Provider{}

// Models returns the models that the key gives access to. See
// https://ai.google.dev/api/models.
func (p Provider) Models(ctx context.Context) ([]string, error) {
	if p.Endpoint.Key == "" {
		return nil, llm.NoKey(Name)
	}
	var page struct {
		Models []struct {
			Name string `json:"name"`
		} `json:"models"`
	}
	header := map[string]string{keyHeader: p.Endpoint.Key}
	if err := transport.Get(ctx, p.Endpoint, p.Silence, p.url("models?pageSize=1000"), header, refine, &page); err != nil {
		return nil, err
	}
	out := make([]string, len(page.Models))
	for i, m := range page.Models {
		out[i] = strings.TrimPrefix(m.Name, "models/")
	}
	return out, nil
}
