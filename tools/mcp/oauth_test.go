package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"
)

// guarded is a server that wants a token, with its own authorization server.
type guarded struct {
	*httptest.Server
	resource  string       // that the metadata name; empty: the server
	elsewhere string       // address to which the token endpoint redirects; empty: it answers
	logins    atomic.Int64 // how often a person gave access
	renewals  atomic.Int64
	lifetime  int      // of a token, in seconds
	scopes    []string // that each login asked for
}

func newGuarded(t *testing.T) *guarded {
	t.Helper()
	g := &guarded{lifetime: 3600}
	s := sdk.NewServer(&sdk.Implementation{Name: "r", Version: "1"}, nil)
	tool(s, "hello", "", func(context.Context, *sdk.CallToolRequest) (*sdk.CallToolResult, error) { return says("there") })
	inner := sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, nil)
	write := func(w http.ResponseWriter, v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer good" {
			w.Header().Set("WWW-Authenticate", `Bearer resource_metadata="`+g.URL+`/.well-known/oauth-protected-resource/mcp"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		inner.ServeHTTP(w, r)
	})
	mux.HandleFunc("/.well-known/oauth-protected-resource/mcp", func(w http.ResponseWriter, _ *http.Request) {
		write(w, map[string]any{"resource": cmp.Or(g.resource, g.URL+"/mcp"), "authorization_servers": []string{g.URL}})
	})
	mux.HandleFunc("/.well-known/oauth-authorization-server", func(w http.ResponseWriter, _ *http.Request) {
		write(w, map[string]any{"issuer": g.URL, "authorization_endpoint": g.URL + "/authorize",
			"token_endpoint": g.URL + "/token", "registration_endpoint": g.URL + "/register",
			"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"}})
	})
	mux.HandleFunc("/register", func(w http.ResponseWriter, r *http.Request) {
		var asked map[string]any
		_ = json.NewDecoder(r.Body).Decode(&asked)
		asked["client_id"] = "registered"
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusCreated)
		_ = json.NewEncoder(w).Encode(asked)
	})
	mux.HandleFunc("/authorize", func(w http.ResponseWriter, r *http.Request) {
		g.logins.Add(1)
		q := r.URL.Query()
		asked := strings.Fields(q.Get("scope")) // in any order
		slices.Sort(asked)
		g.scopes = append(g.scopes, strings.Join(asked, " "))
		http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {"c"}, "state": {q.Get("state")}}.Encode(),
			http.StatusFound)
	})
	mux.HandleFunc("/token", func(w http.ResponseWriter, r *http.Request) {
		if g.elsewhere != "" {
			http.Redirect(w, r, g.elsewhere, http.StatusTemporaryRedirect)
			return
		}
		if r.FormValue("grant_type") == "refresh_token" {
			g.renewals.Add(1)
		}
		write(w, map[string]any{"access_token": "good", "token_type": "Bearer", "expires_in": g.lifetime,
			"refresh_token": "again"})
	})
	g.Server = httptest.NewServer(mux)
	t.Cleanup(func() { g.CloseClientConnections(); g.Close() })
	return g
}

// call calls the tool of a guarded server as a person who opens addresses in a browser does.
func (g *guarded) call(t *testing.T, around Surroundings) (string, error) {
	t.Helper()
	s, err := NewServer(Status{Definition: Definition{Name: "r", Type: HTTP, URL: g.URL + "/mcp", OAuth: &OAuth{}}},
		t.TempDir(), around)
	require.NoError(t, err)
	defer func() { require.NoError(t, s.Stop()) }()
	result, err := s.CallTool(t.Context(), "hello", nil, Hooks{})
	if err != nil {
		return "", err
	}
	return textOf(result.Content), nil
}

func browse(_ context.Context, _, address string) error {
	answer, err := http.Get(address)
	if err != nil {
		return err
	}
	return answer.Body.Close()
}

func TestAPersonGivesAccessOnce(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	around := Surroundings{Tokens: filepath.Join(t.TempDir(), "tokens")}
	_, err := g.call(t, around)
	require.ErrorContains(t, err, `run "slop mcp trust r"`)
	person := around
	person.OpenURL = browse
	got, err := g.call(t, person)
	require.NoError(t, err)
	require.Equal(t, "there\n", got)
	got, err = g.call(t, around)
	require.NoError(t, err, "the token is kept for the engine")
	require.Equal(t, "there\n", got)
	require.EqualValues(t, 1, g.logins.Load())
	files, err := os.ReadDir(around.Tokens)
	require.NoError(t, err)
	require.Len(t, files, 1)
	info, err := files[0].Info()
	require.NoError(t, err)
	require.Equal(t, os.FileMode(0o600), info.Mode().Perm())
}

func TestATokenThatEndsIsRenewed(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	g.lifetime = 1 // below what counts as valid
	around := Surroundings{Tokens: t.TempDir(), OpenURL: browse}
	_, err := g.call(t, around)
	require.NoError(t, err)
	_, err = g.call(t, around)
	require.NoError(t, err)
	require.EqualValues(t, 1, g.logins.Load())
	require.Positive(t, g.renewals.Load())
}

func TestAnAuthorizationServerMustNotRedirect(t *testing.T) {
	t.Parallel()
	reached := make(chan struct{}, 1)
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached <- struct{}{} }))
	defer other.Close()
	g := newGuarded(t)
	g.elsewhere = other.URL
	_, err := g.call(t, Surroundings{OpenURL: browse})
	require.ErrorContains(t, err, "must not redirect")
	require.Empty(t, reached)
}

func TestMetadataOfAnotherResourceEndTheAttempt(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	for _, resource := range []string{"https://bank.example/mcp", g.URL + "/other", g.URL + "/mc", g.URL + "/mcp/x",
		"mcp"} {
		g.resource = resource
		_, err := g.call(t, Surroundings{OpenURL: browse})
		require.ErrorContains(t, err, "describes another resource, \""+resource+"\"")
	}
	require.Zero(t, g.logins.Load(), "the person was asked for access")
	g.resource = g.URL + "/" // not another one: the server's own address counts
	_, err := g.call(t, Surroundings{OpenURL: browse})
	require.NoError(t, err)
}

func TestTokensTravelEncrypted(t *testing.T) {
	t.Parallel()
	for address, local := range map[string]bool{"http://127.0.0.1:1/": true, "http://localhost/": true,
		"http://127.0.0.1.evil.example/": false, "http://10.0.0.1/": false, "https://127.0.0.1/": false} {
		require.Equal(t, local, strictlyLocal(address), address)
	}
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://127.0.0.1:1/", nil)
	require.NoError(t, err)
	_, err = safely{}.RoundTrip(r)
	require.ErrorContains(t, err, "must begin with https://")
	a := &access{}
	_, err = a.visit(t.Context(), nil, "file:///etc/passwd")
	require.ErrorContains(t, err, "must begin with https://")
}

func TestAFurtherScopeKeepsTheGrantedOnes(t *testing.T) {
	t.Parallel()
	g := newGuarded(t)
	around := Surroundings{Tokens: t.TempDir(), OpenURL: browse}
	for _, scope := range []string{"read", "write", "read"} {
		a, err := authorization(Definition{Name: "r", Type: HTTP, URL: g.URL + "/mcp", OAuth: &OAuth{}}, around)
		require.NoError(t, err)
		asked, err := http.NewRequestWithContext(t.Context(), http.MethodPost, g.URL+"/mcp", nil)
		require.NoError(t, err)
		require.NoError(t, a.Authorize(t.Context(), asked, &http.Response{StatusCode: http.StatusForbidden,
			Body: http.NoBody, Header: http.Header{"Www-Authenticate": {`Bearer error="insufficient_scope", scope="` + scope +
				`", resource_metadata="` + g.URL + `/.well-known/oauth-protected-resource/mcp"`}}}))
	}
	require.Equal(t, []string{"read", "read write", "read write"}, g.scopes)
}
