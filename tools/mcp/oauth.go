package mcp

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/auth"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"manualslop/bus/durable"
	"manualslop/events"
)

// access gets tokens for one server behind a URL and stores them in a file of the user. Only a user can grant
// access; a process without a user uses the stored token.
type access struct {
	definition Definition // with variables expanded
	around     Surroundings
	file       string // empty if tokens are not stored
	client     *http.Client

	mu      sync.Mutex
	source  oauth2.TokenSource
	granted []string // scopes of the token
}

// grant is the stored form of an access.
type grant struct {
	Server string        `json:"server"` // URL of the server
	Config oauth2.Config `json:"config"`
	Token  *oauth2.Token `json:"token"`
}

// authorization returns the access to a server, with the token that is stored for its URL.
func authorization(d Definition, around Surroundings) (*access, error) {
	a := &access{definition: d, around: around,
		client: &http.Client{CheckRedirect: noRedirect, Transport: safely{local: strictlyLocal(d.URL)}}}
	if around.Tokens == "" {
		return a, nil
	}
	a.file = filepath.Join(around.Tokens, events.Digest([]byte(d.URL))+".json")
	data, err := os.ReadFile(a.file)
	if errors.Is(err, fs.ErrNotExist) {
		return a, nil
	}
	if err != nil {
		return nil, err
	}
	var g grant
	if err := json.Unmarshal(data, &g); err != nil || g.Token == nil {
		return nil, fmt.Errorf("%s holds no token; remove it: %w", a.file, err)
	}
	a.source, a.granted = a.keeping(&g.Config, g.Token), g.Config.Scopes
	return a, nil
}

// TokenSource returns the stored tokens, or nil if the user must grant access first.
func (a *access) TokenSource(context.Context) (oauth2.TokenSource, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.source, nil
}

// Authorize asks the user to grant access in a browser, which then returns to a port of this machine.
func (a *access) Authorize(ctx context.Context, r *http.Request, answer *http.Response) error {
	if a.around.OpenURL == nil {
		_ = answer.Body.Close()
		return fmt.Errorf(`the user must authorize access to MCP server %s; run "slop mcp trust %s"`, a.definition.Name,
			a.definition.Name)
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", fmt.Sprintf("127.0.0.1:%d", a.definition.OAuth.Port))
	if err != nil {
		return errors.Join(err, answer.Body.Close())
	}
	back := "http://" + listener.Addr().String() + "/callback"
	asked := a.definition.OAuth
	own := &ownResource{server: r.URL, next: a.client.Transport}
	config := &auth.AuthorizationCodeHandlerConfig{RedirectURL: back, RequestRefreshToken: true,
		Client: &http.Client{CheckRedirect: a.client.CheckRedirect, Transport: own},
		AuthorizationCodeFetcher: func(ctx context.Context, to *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
			if own.failed != nil {
				return nil, own.failed
			}
			return a.visit(ctx, listener, to.URL)
		},
		NewTokenSource: func(_ context.Context, c *oauth2.Config, t *oauth2.Token) (oauth2.TokenSource, error) {
			a.mu.Lock()
			a.granted = c.Scopes
			a.mu.Unlock()
			return a.keeping(c, t), a.keep(c, t)
		}, ScopeFilter: a.scopes}
	if asked.ClientID != "" {
		config.PreregisteredClient = &oauthex.ClientCredentials{ClientID: asked.ClientID}
		if asked.ClientSecret != "" {
			config.PreregisteredClient.ClientSecretAuth = &oauthex.ClientSecretAuth{ClientSecret: asked.ClientSecret}
		}
	} else {
		config.DynamicClientRegistrationConfig = &auth.DynamicClientRegistrationConfig{
			Metadata: &oauthex.ClientRegistrationMetadata{ClientName: "slop", RedirectURIs: []string{back},
				GrantTypes: []string{"authorization_code", "refresh_token"}}}
	}
	flow, err := auth.NewAuthorizationCodeHandler(config)
	if err != nil {
		return errors.Join(err, listener.Close(), answer.Body.Close())
	}
	err = flow.Authorize(ctx, r, answer)
	_ = listener.Close() // visit may have closed it already
	if err = cmp.Or(own.failed, err); err != nil {
		return err
	}
	source, err := flow.TokenSource(ctx)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.source = source
	return err
}

// ownResource is the transport of one attempt to get access. It ends the attempt when metadata of a protected resource
// name another resource than the server, where the SDK would go on without them. Its requests are sequential.
type ownResource struct {
	server *url.URL
	next   http.RoundTripper
	failed error
}

// maxMetadata limits the metadata of a protected resource in bytes, as the SDK does.
const maxMetadata = 1 << 20

// RoundTrip sends a request, unless the attempt has ended.
func (o *ownResource) RoundTrip(r *http.Request) (*http.Response, error) {
	if o.failed != nil {
		return nil, o.failed
	}
	answer, err := o.next.RoundTrip(r)
	if err != nil || r.Method != http.MethodGet || answer.StatusCode != http.StatusOK {
		return answer, err
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, maxMetadata+1))
	if err = errors.Join(err, answer.Body.Close()); err != nil {
		return nil, err
	}
	answer.Body = io.NopCloser(bytes.NewReader(body))
	var named struct {
		Resource string `json:"resource"` // only in metadata of a protected resource
	}
	if json.Unmarshal(body, &named) == nil && named.Resource != "" && !o.covers(named.Resource) {
		o.failed = fmt.Errorf("the metadata of %s describes another resource, %q", o.server.Redacted(),
			clean(named.Resource, 200))
		return nil, o.failed
	}
	return answer, nil
}

// covers reports whether a resource is the server or a part of its address that ends before a slash.
func (o *ownResource) covers(resource string) bool {
	u, err := url.Parse(resource)
	if err != nil || u.Scheme != o.server.Scheme || !strings.EqualFold(u.Host, o.server.Host) {
		return false
	}
	return strings.HasPrefix(o.server.Path+"/", strings.TrimRight(u.Path, "/")+"/")
}

// scopes returns the scopes to request: the configured ones, or else those that the server names and those already
// granted, so that a request for one more scope does not lose the others.
func (a *access) scopes(named []string) []string {
	if own := a.definition.OAuth.Scopes; len(own) > 0 {
		return own
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	out := slices.Clone(a.granted)
	for _, s := range named {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// visit shows the user a URL and waits until the browser returns.
func (a *access) visit(ctx context.Context, listener net.Listener, address string) (*auth.AuthorizationResult, error) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" && !strictlyLocal(address) {
		return nil, fmt.Errorf("the authorization address must begin with https://, got %q", clean(address, 200))
	}
	came := make(chan url.Values, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /callback", func(w http.ResponseWriter, r *http.Request) {
		select {
		case came <- r.URL.Query():
		default:
		}
		_, _ = w.Write([]byte("slop received the response. You can close this page.\n"))
	})
	web := &http.Server{Handler: mux, ReadHeaderTimeout: startTimeout}
	go func() { _ = web.Serve(listener) }()
	defer func() { _ = web.Close() }()
	if err := a.around.OpenURL(ctx, a.definition.Name, address); err != nil {
		return nil, err
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case q := <-came:
		if q.Get("code") == "" {
			return nil, fmt.Errorf("access was not granted: %s", clean(cmp.Or(q.Get("error_description"), q.Get("error"),
				"no code was returned"), 200))
		}
		_ = web.Shutdown(ctx) // lets the browser receive its page
		return &auth.AuthorizationResult{Code: q.Get("code"), State: q.Get("state"), Iss: q.Get("iss")}, nil
	}
}

// keeping returns a source that renews tokens and stores the new ones.
func (a *access) keeping(c *oauth2.Config, t *oauth2.Token) oauth2.TokenSource {
	ctx := context.WithValue(context.Background(), oauth2.HTTPClient, a.client)
	return oauth2.ReuseTokenSource(t, &renewed{of: a, config: c, from: c.TokenSource(ctx, t)})
}

type renewed struct {
	of     *access
	config *oauth2.Config
	from   oauth2.TokenSource
}

// Token renews the token.
func (r *renewed) Token() (*oauth2.Token, error) {
	t, err := r.from.Token()
	if err != nil {
		return nil, err
	}
	return t, r.of.keep(r.config, t)
}

func (a *access) keep(c *oauth2.Config, t *oauth2.Token) error {
	if a.file == "" {
		return nil
	}
	data, err := json.Marshal(grant{a.definition.URL, *c, t})
	if err != nil {
		return err
	}
	if err := durable.MakeFolder(filepath.Dir(a.file)); err != nil {
		return err
	}
	return durable.WriteFile(a.file, data)
}

// safely rejects unencrypted requests, except to this machine for a server on this machine.
type safely struct{ local bool }

func (s safely) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme != "https" && !(s.local && strictlyLocal(r.URL.String())) {
		return nil, fmt.Errorf("%s: must begin with https://", clean(r.URL.Redacted(), 200))
	}
	return http.DefaultTransport.RoundTrip(r)
}

// strictlyLocal reports whether a URL begins with http:// and a loopback address.
func strictlyLocal(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" {
		return false
	}
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}
