package llmtest

import (
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"time"
)

// Bounds of a page of caches. The API "may return fewer than this value", and
// takes a size over 1,000 for 1,000: https://ai.google.dev/api/caching#method:-cachedcontents.list.
// This fake never returns more than geminiPage, so that clients have to page.
const (
	geminiPage     = 3
	geminiPageSize = 1000
)

// list is one page of the caches that there are, in the order of their making.
// What they hold is not in it.
func (k *geminiCaches) list(query url.Values) (any, *refusal) {
	for name := range query { // order-independent: any unknown one is refused
		if name != "pageSize" && name != "pageToken" {
			return nil, refuse(fmt.Sprintf("Invalid JSON payload received. Unknown name %q: Cannot bind query parameter.", name))
		}
	}
	size, after := geminiPage, 0
	if given := query.Get("pageSize"); given != "" {
		n, err := strconv.Atoi(given)
		if err != nil || n < 0 {
			return nil, refuse("Invalid value at 'page_size' (TYPE_INT32), " + strconv.Quote(given))
		}
		if n > 0 {
			size = min(n, geminiPageSize, geminiPage)
		}
	}
	if token := query.Get("pageToken"); token != "" {
		if _, err := fmt.Sscanf(token, "after+%d", &after); err != nil {
			return nil, refuse("Invalid page token.")
		}
	}
	return k.page(size, after), nil
}

// page is a page of those made behind one. An empty list is no member at all,
// and no more pages are no token, as in all JSON of the vendor.
func (k *geminiCaches) page(size, after int) map[string]any {
	k.mu.Lock()
	defer k.mu.Unlock()
	var names []string
	for name, c := range k.byName { // order-independent: sorted below
		if c.number > after && time.Now().Before(c.expires) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, func(a, b string) int { return cmp.Compare(k.byName[a].number, k.byName[b].number) })
	out, list := map[string]any{}, []any{}
	for _, name := range names[:min(size, len(names))] {
		list = append(list, k.byName[name].resource(name))
		after = k.byName[name].number
	}
	if len(list) > 0 {
		out["cachedContents"] = list
	}
	if len(names) > size {
		out["nextPageToken"] = fmt.Sprintf("after+%d", after)
	}
	return out
}
