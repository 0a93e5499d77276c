package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"manualslop/tools/sandbox"
)

// dialStdio starts the program. If the program dies of the probe for the newer protocol, it is started again
// without the probe. A program that is known to use the older protocol is not probed.
func dialStdio(ctx context.Context, c *connection, d Definition, around Surroundings,
	revision string) (*sdk.ClientSession, error) {
	client := c.client()
	env := sandbox.Environment(sandbox.Environ{Allow: proxies()})
	for name, value := range d.Env {
		env = append(env, name+"="+value) // the last value wins
	}
	argv := slices.Clone(d.Command)
	if strings.ContainsRune(argv[0], filepath.Separator) {
		argv[0] = d.path(argv[0])
	}
	var options *sdk.ClientSessionOptions
	if revision != "" && revision <= legacy {
		options = &sdk.ClientSessionOptions{ProtocolVersion: legacy}
	}
	for {
		log, err := openLog(around, d.Name)
		if err != nil {
			return nil, err
		}
		p, err := startProcess(argv, env, d.Cwd, log, c.raw)
		if err != nil {
			return nil, err
		}
		made, err := client.Connect(ctx, p, options)
		if err == nil {
			return made, nil
		}
		died := p.probing()
		_ = p.Close()
		if options == nil && ctx.Err() == nil && died {
			options = &sdk.ClientSessionOptions{ProtocolVersion: legacy}
			continue
		}
		return nil, errors.Join(err, p.exit())
	}
}

// proxies lists the variables of the user's proxies, which programs receive.
func proxies() []string {
	return []string{"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY",
		"http_proxy", "https_proxy", "no_proxy", "all_proxy"}
}

// dialRemote connects over streamable HTTP or SSE. It falls back to SSE if streamable HTTP is refused. Headers
// are sent only to the server's own origin.
func dialRemote(ctx context.Context, c *sdk.Client, d Definition, around Surroundings) (*sdk.ClientSession, error) {
	own, err := url.Parse(d.URL)
	if err != nil {
		return nil, err
	}
	origin := &ownOrigin{url: own, headers: d.Headers}
	h := &http.Client{Transport: origin, CheckRedirect: noRedirect}
	if d.Type == HTTP {
		t := &sdk.StreamableClientTransport{Endpoint: d.URL, HTTPClient: h, MaxEventSize: maxMessage}
		if d.OAuth != nil {
			if t.OAuthHandler, err = authorization(d, around); err != nil {
				return nil, err
			}
		}
		made, err := c.Connect(ctx, t, nil)
		status := origin.first.Load()
		if err == nil || status < 400 || status > 499 || status == http.StatusUnauthorized || status == http.StatusForbidden {
			return made, err
		}
		made, sse := c.Connect(ctx, &sdk.SSEClientTransport{Endpoint: d.URL, HTTPClient: h, MaxEventSize: maxMessage}, nil)
		if sse == nil {
			return made, nil
		}
		return nil, errors.Join(err, sse)
	}
	return c.Connect(ctx, &sdk.SSEClientTransport{Endpoint: d.URL, HTTPClient: h, MaxEventSize: maxMessage}, nil)
}

func noRedirect(*http.Request, []*http.Request) error {
	return errors.New("MCP servers must not redirect")
}

// ownOrigin adds the configured headers to each request to the server's origin and to no other, because an SSE
// server itself names the URL for messages.
type ownOrigin struct {
	url     *url.URL
	headers map[string]string
	first   atomic.Int32 // status of the first response
}

func (o *ownOrigin) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != o.url.Scheme || r.URL.Host != o.url.Host {
		return nil, fmt.Errorf("the MCP server must not redirect its clients from %s to %s", o.url.Host, r.URL.Host)
	}
	r = r.Clone(r.Context())
	for name, value := range o.headers {
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err == nil {
		o.first.CompareAndSwap(0, int32(answer.StatusCode))
	}
	return answer, err
}
