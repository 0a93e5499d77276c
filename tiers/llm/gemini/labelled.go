package gemini

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/transport"
)

// maxPages bounds a list of caches; the API gives at most 1,000 on a page and
// may give fewer.
const maxPages = 100

// Labelled looks through the caches of the key's project for those with these
// display names. See https://ai.google.dev/api/caching#method:-cachedcontents.list.
func (p Provider) Labelled(ctx context.Context, labels []string) (map[string][]string, error) {
	if p.Endpoint.Key == "" {
		return nil, llm.NoKey(Name)
	}
	found, token := map[string][]string{}, ""
	for range maxPages {
		var page struct {
			Caches []struct {
				Name  string `json:"name"`
				Label string `json:"displayName"`
			} `json:"cachedContents"`
			Next string `json:"nextPageToken"`
		}
		query := url.Values{"pageSize": {"1000"}}
		if token != "" {
			query.Set("pageToken", token)
		}
		at := strings.TrimRight(p.address(), "/") + "/" + apiVersion + "/cachedContents?" + query.Encode()
		if err := transport.Get(ctx, p.Endpoint, p.Silence, at, map[string]string{"X-Goog-Api-Key": p.Endpoint.Key}, refine, &page); err != nil {
			return nil, err
		}
		for _, c := range page.Caches {
			if c.Label != "" && slices.Contains(labels, c.Label) && keptNames().MatchString(c.Name) {
				found[c.Label] = append(found[c.Label], c.Name)
			}
		}
		if token = page.Next; token == "" {
			return found, nil
		}
	}
	return nil, &llm.Error{Kind: events.ModelInvalidRequest, Message: fmt.Sprintf("gemini lists caches on more than %d pages", maxPages)}
}
