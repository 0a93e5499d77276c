package gemini

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"slices"
	"sync"
	"time"

	"google.golang.org/genai"

	"manualslop/events"
	"manualslop/tiers/llm"
	"manualslop/tiers/llm/transport"
)

// timeToLive is how long a beginning is kept.
const timeToLive = time.Hour

// keptNames are the names that the API gives.
var keptNames = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^cachedContents/[A-Za-z0-9_-]{1,256}$`)
})

// Keepable is the system message, the tools and the messages before the first
// reply, where the conversation goes on behind them (a single round would pay
// for storage and read nothing) and they reach the least size that the API
// keeps, by our estimate.
func (p Provider) Keepable(r llm.Request) (llm.Keepable, bool) {
	n := slices.IndexFunc(r.Messages, func(m llm.Message) bool { return m.Role == llm.RoleAssistant })
	if !p.Keeps || n < 1 || familyOf(r.Model).generation == 0 {
		return llm.Keepable{}, false
	}
	beginning := llm.Request{Messages: r.Messages[:n], Tools: r.Tools}
	if llm.Estimate(beginning, "").Input < familyOf(r.Model).minimum() {
		return llm.Keepable{}, false
	}
	body, err := keptBody(r, llm.Keepable{Messages: n})
	if err != nil {
		return llm.Keepable{}, false // Body says why
	}
	return llm.Keepable{Messages: n, SHA256: events.Digest(body), TTL: timeToLive}, true
}

// keptBody is the body that has the beginning of r kept.
func keptBody(r llm.Request, k llm.Keepable) ([]byte, error) {
	if err := checkModel(r.Model); err != nil {
		return nil, err
	}
	out := request{Model: "models/" + plain(r.Model), DisplayName: k.Label, TTL: fmt.Sprintf("%ds", int(timeToLive.Seconds()))}
	out.begin(r)
	var err error
	if out.Contents, err = contents(r, 0, k.Messages); err != nil {
		return nil, err
	}
	return llm.PlainJSON(out)
}

// Keep makes an explicit cache.
func (p Provider) Keep(ctx context.Context, r llm.Request, k llm.Keepable) (llm.Kept, error) {
	body, err := keptBody(r, k)
	if err != nil {
		return llm.Kept{}, err
	}
	call := p.begin(transport.Options{Body: body})
	client, err := p.client(ctx, objects{call})
	if err != nil {
		return llm.Kept{}, err
	}
	made, err := client.Caches.Create(ctx, r.Model, &genai.CreateCachedContentConfig{TTL: k.TTL})
	if bad := p.failure(ctx, call, err, false); bad != nil {
		return llm.Kept{}, bad
	}
	if !keptNames().MatchString(made.Name) || made.ExpireTime.IsZero() {
		return llm.Kept{}, &llm.Error{Kind: events.ModelNetwork, Message: "gemini named no cache, or no time until which it is kept"}
	}
	out := llm.Kept{Name: made.Name, ExpiresAt: made.ExpireTime.UTC()}
	if u := made.UsageMetadata; u != nil {
		out.Tokens = int64(u.TotalTokenCount)
	}
	return out, nil
}

// Forget deletes an explicit cache.
func (p Provider) Forget(ctx context.Context, name string) error {
	if !keptNames().MatchString(name) {
		return llm.Unsendable("%.300q names no cache of gemini", name)
	}
	call := p.begin(transport.Options{})
	client, err := p.client(ctx, objects{call})
	if err != nil {
		return err
	}
	_, err = client.Caches.Delete(ctx, name, nil)
	if bad := p.failure(ctx, call, err, true); bad != nil && !bad.CacheGone {
		return bad
	}
	return nil
}

// objects lets only JSON objects through: the SDK panics at an answer of null.
type objects struct{ under http.RoundTripper }

// RoundTrip reads the whole answer, which the transport bounds.
func (o objects) RoundTrip(req *http.Request) (*http.Response, error) {
	resp, err := o.under.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return nil, err
	}
	if at := bytes.TrimSpace(body); len(at) > 0 && at[0] != '{' {
		return nil, errors.New("the answer is no JSON object")
	}
	resp.Body = io.NopCloser(bytes.NewReader(body))
	return resp, nil
}

var _ llm.Keeper = Provider{}
