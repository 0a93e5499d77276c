package llmtest

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"manualslop/events"
)

// geminiCache is one explicit cache: https://ai.google.dev/api/caching.
type geminiCache struct {
	number  int // in the order of their making
	request geminiRequest
	tokens  int64
	expires time.Time
}

// geminiCaches are those that there are.
type geminiCaches struct {
	mu     sync.Mutex
	made   int
	byName map[string]*geminiCache
}

// Kept counts the explicit caches of a Gemini server that were neither deleted
// nor expired.
func (s *Server) Kept() int {
	g, ok := s.wire.(*gemini)
	if !ok {
		return 0
	}
	g.kept.mu.Lock()
	defer g.kept.mu.Unlock()
	n := 0
	for _, c := range g.kept.byName { // order-independent: counted
		if time.Now().Before(c.expires) {
			n++
		}
	}
	return n
}

// Expire lets the time of every explicit cache of a Gemini server run out.
func (s *Server) Expire() {
	if g, ok := s.wire.(*gemini); ok {
		g.kept.mu.Lock()
		defer g.kept.mu.Unlock()
		for _, c := range g.kept.byName { // order-independent: all alike
			c.expires = time.Time{}
		}
	}
}

// get is the cache of a name; nil if there is none any more.
func (k *geminiCaches) get(name string) *geminiCache {
	k.mu.Lock()
	defer k.mu.Unlock()
	if c := k.byName[name]; c != nil && time.Now().Before(c.expires) {
		return c
	}
	return nil
}

func (k *geminiCaches) put(c *geminiCache) (name string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.byName == nil {
		k.byName = map[string]*geminiCache{}
	}
	k.made++
	c.number = k.made
	name = fmt.Sprintf("cachedContents/fake%d", k.made)
	k.byName[name] = c
	return name
}

func (k *geminiCaches) remove(name string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.byName, name)
}

// lostCache is what the API says of a cache that it does not have.
func lostCache() *refusal {
	return &refusal{403, "", "CachedContent not found (or permission denied)"}
}

// caching answers requests about caches.
func (g *gemini) caching(r *http.Request, body []byte) (any, *refusal) {
	name := strings.TrimPrefix(r.URL.Path, "/v1beta/")
	if r.Method == http.MethodPost && name == "cachedContents" {
		return g.create(body)
	}
	if r.Method == http.MethodGet && name == "cachedContents" {
		return g.kept.list(r.URL.Query())
	}
	c := g.kept.get(name)
	switch {
	case c == nil:
		return nil, lostCache()
	case r.Method == http.MethodDelete:
		g.kept.remove(name)
		return map[string]any{}, nil
	case r.Method == http.MethodGet:
		return c.resource(name), nil
	}
	return nil, &refusal{404, "not_found", "Requested entity was not found: " + r.Method + " " + r.URL.Path}
}

var geminiTTL = regexp.MustCompile(`^[0-9]+(\.[0-9]+)?s$`)

// create makes a cache.
func (g *gemini) create(body []byte) (any, *refusal) {
	var q geminiRequest
	if bad := decodeStrict(body, &q); bad != nil {
		return nil, bad
	}
	q.model = strings.TrimPrefix(q.Model, "models/")
	lives, err := time.ParseDuration(q.TTL)
	switch {
	case !strings.HasPrefix(q.Model, "models/"):
		return nil, refuse("CreateCachedContentRequest.cached_content.model: unexpected model name format")
	case !slices.Contains(g.models, q.model):
		return nil, &refusal{404, "not_found", q.Model + " is not found for API version v1beta, or is not supported for createCachedContent."}
	case q.GenerationConfig != nil || q.CachedContent != "":
		return nil, refuse(`Invalid JSON payload received. Unknown name "generationConfig" or "cachedContent" at 'cached_content': Cannot find field.`)
	case utf8.RuneCountInString(q.DisplayName) > 128:
		return nil, refuse("CreateCachedContentRequest.cached_content.display_name: must be at most 128 characters")
	case !geminiTTL.MatchString(q.TTL) || err != nil || lives <= 0:
		return nil, refuse("Invalid value at 'cached_content.ttl' (type.googleapis.com/google.protobuf.Duration)")
	}
	for _, check := range []func(*geminiRequest) *refusal{checkGeminiSystem, checkGeminiTools, checkGeminiParts} {
		if bad := check(&q); bad != nil {
			return nil, bad
		}
	}
	c := &geminiCache{request: q, expires: time.Now().Add(lives)}
	for _, p := range q.pieces() {
		c.tokens += tokens(p)
	}
	if least := g.minimum(q.model); c.tokens < least {
		return nil, refuse(fmt.Sprintf("Cached content is too small. total_token_count=%d, min_total_token_count=%d", c.tokens, least))
	}
	return c.resource(g.kept.put(c)), nil
}

func (c *geminiCache) resource(name string) map[string]any {
	return map[string]any{"name": name, "model": c.request.Model, "displayName": c.request.DisplayName, "createTime": time.Now().UTC().Format(time.RFC3339Nano),
		"expireTime": c.expires.UTC().Format(time.RFC3339Nano), "usageMetadata": map[string]any{"totalTokenCount": c.tokens}}
}

// checkCached finds the cache that a request names.
func (g *gemini) checkCached(q *geminiRequest) *refusal {
	if q.CachedContent == "" {
		return nil
	}
	if q.SystemInstruction != nil || q.Tools != nil || q.ToolConfig != nil {
		return refuse("CachedContent can not be used with GenerateContent request setting system_instruction, tools or tool_config. Proposed fix: move those values to CachedContent from GenerateContent request.")
	}
	if q.kept = g.kept.get(q.CachedContent); q.kept == nil {
		return lostCache()
	}
	if q.kept.request.model != q.model {
		return refuse("Model used by GenerateContent request (models/" + q.model + ") and CachedContent (" + q.kept.request.Model + ") has to be the same.")
	}
	return nil
}

// minimum is the tokens below which a prompt of the model is not cached.
func (g *gemini) minimum(model string) int64 {
	switch {
	case g.min > 0:
		return g.min
	case strings.HasPrefix(model, "gemini-2.5"):
		return 2048
	}
	return 4096
}

// cacheBlock is in whose steps the API finds a beginning again, in bytes: it
// caches tokens and not parts.
const cacheBlock = 1024

// blocks are pieces cut into steps.
func blocks(pieces []string) []string {
	var out []string
	for _, p := range pieces {
		for len(p) > cacheBlock {
			out, p = append(out, p[:cacheBlock]), p[cacheBlock:]
		}
		out = append(out, p)
	}
	return out
}

// count finds the longest beginning of the prompt that was in one before, which
// the API reads from its implicit cache, or that its explicit cache holds.
// Whether the real API looks for an implicit beginning behind an explicit one is
// not documented; here it does.
func (g *gemini) count(v View) events.Usage {
	q, _ := v.wire.(*geminiRequest)
	pieces := blocks(q.pieces())
	var size, cached int64
	if q.kept != nil {
		cached = q.kept.tokens
	}
	for i, digest := range chain(q.model, pieces) {
		size += tokens(pieces[i])
		if size >= g.minimum(q.model) {
			if g.seen.has(digest) {
				cached = max(cached, size)
			}
			g.seen.put(digest)
		}
	}
	return events.Usage{Input: size - cached, CacheRead: cached}
}
