package mcpserve

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"manualslop/events/eventstest"
	"manualslop/hookgw/access"
)

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",` +
	`"capabilities":{},"clientInfo":{"name":"c","version":"1"}}}`

// testWeb is a server over HTTP without an engine behind it.
type testWeb struct {
	*web
	addr  string
	token string // of ask.token
}

func startWeb(t *testing.T) *testWeb {
	t.Helper()
	tokens := t.TempDir()
	require.NoError(t, os.Chmod(tokens, 0o700))
	keys, err := access.OpenKeyring(tokens)
	require.NoError(t, err)
	token, err := os.ReadFile(filepath.Join(tokens, "ask.token"))
	require.NoError(t, err)
	l, err := access.Listen(t.Context(), "127.0.0.1:0")
	require.NoError(t, err)
	s := &server{gone: t.Context(), calls: map[string]*call{}}
	w := newWeb(s, native(), access.NewGuard(l.Addr().(*net.TCPAddr).Port, keys), slog.New(slog.DiscardHandler))
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- w.serve(ctx, l) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-served)
	})
	return &testWeb{web: w, addr: l.Addr().String(), token: strings.TrimSpace(string(token))}
}

// post sends a request of the older era; headers replace those that a client sends.
func (w *testWeb) post(t *testing.T, body string, headers map[string]string) (status int, text string, h http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+w.addr+pathMCP, strings.NewReader(body))
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+w.token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for name, value := range headers {
		if name == "Host" {
			r.Host = value
		}
		r.Header.Set(name, value)
	}
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer answer.Body.Close()
	b, err := io.ReadAll(answer.Body)
	require.NoError(t, err)
	return answer.StatusCode, string(b), answer.Header
}

func TestRequirement10HTTPRefusesForeignHostsOriginsAndTokens(t *testing.T) {
	t.Parallel()
	w := startWeb(t)
	status, text, _ := w.post(t, initialize, nil)
	require.Equal(t, http.StatusOK, status, text)
	status, _, _ = w.post(t, initialize, map[string]string{"Origin": "http://" + w.addr})
	require.Equal(t, http.StatusOK, status)
	for name, c := range map[string]struct {
		header, value string
		status        int
	}{
		"a rebound name":      {"Host", "evil.example", http.StatusMisdirectedRequest},
		"another port":        {"Host", "127.0.0.1:1", http.StatusMisdirectedRequest},
		"a page elsewhere":    {"Origin", "http://evil.example", http.StatusForbidden},
		"a page without name": {"Origin", "null", http.StatusForbidden},
		"a cross-site page":   {"Sec-Fetch-Site", "cross-site", http.StatusForbidden},
		"no token":            {"Authorization", "", http.StatusUnauthorized},
		"another token":       {"Authorization", "Bearer " + strings.Repeat("x", 43), http.StatusUnauthorized},
	} {
		status, text, _ := w.post(t, initialize, map[string]string{c.header: c.value})
		require.Equal(t, c.status, status, name+": "+text)
		require.Contains(t, text, `"hint":`, name)
	}
}

func TestRequirement10BodiesBeyondTheLimitAreRefusedInBothEras(t *testing.T) {
	t.Parallel()
	w := startWeb(t)
	for _, version := range []string{"", stateless} {
		status, text, _ := w.post(t, initialize+strings.Repeat(" ", MaxBody-len(initialize)),
			map[string]string{versionHeader: version})
		require.NotEqual(t, http.StatusRequestEntityTooLarge, status, text)
		status, text, _ = w.post(t, initialize+strings.Repeat(" ", MaxBody-len(initialize)+1),
			map[string]string{versionHeader: version})
		require.Equal(t, http.StatusRequestEntityTooLarge, status)
		require.Contains(t, text, "larger than 1048576 bytes")
	}
}

func TestRequirement10OneSessionMoreThanTheLimitIsRefused(t *testing.T) {
	t.Parallel()
	w := startWeb(t)
	var last string
	for range MaxSessions {
		status, text, h := w.post(t, initialize, nil)
		require.Equal(t, http.StatusOK, status, text)
		last = h.Get(sessionHeader)
	}
	status, text, _ := w.post(t, initialize, nil)
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.Contains(t, text, "at most 64")

	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://"+w.addr+pathSSE, http.NoBody)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+w.token)
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusServiceUnavailable, answer.StatusCode)

	w.end(t, last)
	status, text, _ = w.post(t, initialize, nil)
	require.Equal(t, http.StatusOK, status, text)
}

func TestCallsOfASessionThatStaysAwayEnd(t *testing.T) {
	t.Parallel()
	w := startWeb(t)
	_, _, h := w.post(t, initialize, nil)
	session := h.Get(sessionHeader)
	w.absentFor = 1 // nanosecond
	leftOne := w.enter(session)
	gone := w.contextOf(session)
	leftTwo := w.enter(session)
	leftOne()
	require.NoError(t, gone.Err(), "one request is open")
	leftTwo()
	<-gone.Done()
	require.Error(t, w.contextOf(session).Err(), "it stayed away")
	w.enter(session)
	require.NoError(t, w.contextOf(session).Err(), "the client came back")
}

func TestRequirement10OnlySessionsOfTheServerAreKept(t *testing.T) {
	t.Parallel()
	w := startWeb(t)
	present := func() int {
		w.mu.Lock()
		defer w.mu.Unlock()
		return len(w.present)
	}
	ping := `{"jsonrpc":"2.0","id":2,"method":"ping"}`
	for n := range 2 * MaxSessions {
		status, text, _ := w.post(t, ping, map[string]string{sessionHeader: fmt.Sprint("invented-", n)})
		require.Equal(t, http.StatusNotFound, status, text)
	}
	require.Zero(t, present())

	_, _, h := w.post(t, initialize, nil)
	session := h.Get(sessionHeader)
	status, text, _ := w.post(t, ping, map[string]string{sessionHeader: session})
	require.Equal(t, http.StatusOK, status, text)
	require.Equal(t, 1, present())
	w.end(t, session)
	require.Eventually(t, func() bool { return present() == 0 }, eventstest.Patience, time.Millisecond)
}

// end ends a session.
func (w *testWeb) end(t *testing.T, session string) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodDelete, "http://"+w.addr+pathMCP, http.NoBody)
	require.NoError(t, err)
	r.Header.Set("Authorization", "Bearer "+w.token)
	r.Header.Set(sessionHeader, session)
	answer, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	require.NoError(t, answer.Body.Close())
	require.Equal(t, http.StatusNoContent, answer.StatusCode)
}

func TestRequirement10TheEraIsReadFromTheHeaderOrTheBody(t *testing.T) {
	t.Parallel()
	w := startWeb(t)
	discover := `{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{"_meta":{` +
		`"` + versionMeta + `":"` + stateless + `",` +
		`"io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/clientInfo":{"name":"c","version":"1"}}}}`
	status, text, h := w.post(t, discover, nil)
	require.NotContains(t, text, "stateful", "%d", status)
	require.Empty(t, h.Get(sessionHeader))
	_, text, h = w.post(t, initialize, nil)
	require.Contains(t, text, `"protocolVersion":"2025-11-25"`)
	require.NotEmpty(t, h.Get(sessionHeader))
	session, err := mcp.NewClient(&mcp.Implementation{Name: "c", Version: "1"}, nil).Connect(t.Context(),
		&mcp.StreamableClientTransport{Endpoint: "http://" + w.addr + pathMCP, HTTPClient: &http.Client{Transport: w}}, nil)
	require.NoError(t, err)
	require.Equal(t, stateless, session.InitializeResult().ProtocolVersion)
	require.NoError(t, session.Close())
}

// RoundTrip sends a request with the token.
func (w *testWeb) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+w.token)
	return http.DefaultTransport.RoundTrip(r)
}
