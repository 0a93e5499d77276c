package mcptools_test

import (
	"encoding/json"
	"io"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"manualslop/tiers/llm"
	"manualslop/tiers/llm/mcptools"
)

// with is a transport that adds headers.
type with map[string]string

func (h with) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	for name, value := range h {
		r.Header.Set(name, value)
	}
	return http.DefaultTransport.RoundTrip(r)
}

func serve(t *testing.T, tools ...llm.Tool) *mcptools.Server {
	t.Helper()
	s, err := mcptools.Serve(tools)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s
}

func connect(t *testing.T, s *mcptools.Server) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "a program", Version: "7"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: s.URL(),
		HTTPClient: &http.Client{Transport: with(s.Headers())}}, &mcp.ClientSessionOptions{ProtocolVersion: "2025-11-25"})
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	return session
}

func TestAServerOffersTheToolsAndKeepsTheCalls(t *testing.T) {
	t.Parallel()
	s := serve(t, llm.Tool{Name: "read_file", Description: "Reads.", Schema: json.RawMessage(`{"type":"object","required":["path"]}`)},
		llm.Tool{Name: "get_tree"})
	_, _, listed := s.Client()
	require.False(t, listed)
	session := connect(t, s)
	tools, err := session.ListTools(t.Context(), nil)
	require.NoError(t, err)
	require.Len(t, tools.Tools, 2)
	name, version, listed := s.Client()
	require.Equal(t, []any{"a program", "7", true}, []any{name, version, listed})
	for range llm.MaxCalls {
		out, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_tree", Arguments: json.RawMessage(`{"b":1, "a":2}`)})
		require.NoError(t, err)
		require.Equal(t, mcptools.Noted, out.Content[0].(*mcp.TextContent).Text)
	}
	_, err = session.CallTool(t.Context(), &mcp.CallToolParams{Name: "get_tree"})
	require.ErrorContains(t, err, "more than 64 calls in one turn")
	_, err = session.CallTool(t.Context(), &mcp.CallToolParams{Name: "write_file"})
	require.Error(t, err, "a tool that is not offered")
	calls := s.Calls()
	require.Len(t, calls, llm.MaxCalls)
	require.Equal(t, mcptools.Call{Tool: "get_tree", Args: json.RawMessage(`{"a":2,"b":1}`)}, calls[0])
}

func TestOnlyTheProgramReachesItsServer(t *testing.T) {
	t.Parallel()
	s := serve(t, llm.Tool{Name: "read_file"})
	other := serve(t, llm.Tool{Name: "read_file"})
	own := s.Headers()["Authorization"]
	post := func(url string, change func(*http.Request)) int {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(
			`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},`+
				`"clientInfo":{"name":"x","version":"1"}}}`))
		require.NoError(t, err)
		r.Header.Set("Authorization", own)
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		change(r)
		answer, err := http.DefaultClient.Do(r)
		require.NoError(t, err)
		defer answer.Body.Close()
		_, err = io.Copy(io.Discard, answer.Body)
		require.NoError(t, err)
		return answer.StatusCode
	}
	require.Equal(t, http.StatusOK, post(s.URL(), func(*http.Request) {}))
	for name, change := range map[string]func(*http.Request){
		"no token":             func(r *http.Request) { r.Header.Del("Authorization") },
		"a wrong token":        func(r *http.Request) { r.Header.Set("Authorization", own+"x") },
		"another run's token":  func(r *http.Request) { r.Header.Set("Authorization", other.Headers()["Authorization"]) },
		"a page":               func(r *http.Request) { r.Header.Set("Origin", "http://"+r.URL.Host) },
		"a page without one":   func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-origin") },
		"a name of this host":  func(r *http.Request) { r.Host = "evil.example:" + r.URL.Port() },
		"localhost as a name":  func(r *http.Request) { r.Host = "localhost:" + r.URL.Port() },
		"this host, no port":   func(r *http.Request) { r.Host = "127.0.0.1" },
		"a token in lowercase": func(r *http.Request) { r.Header.Set("Authorization", strings.ToLower(own)) },
	} {
		require.Equal(t, http.StatusForbidden, post(s.URL(), change), name)
	}
	require.Equal(t, http.StatusNotFound, post(strings.TrimSuffix(s.URL(), "/mcp")+"/sse", func(*http.Request) {}))
	require.Equal(t, http.StatusRequestEntityTooLarge, post(s.URL(), func(r *http.Request) {
		r.ContentLength, r.Body = -1, io.NopCloser(strings.NewReader(strings.Repeat(" ", mcptools.MaxBody+1)))
	}))
	name, _, _ := other.Client()
	require.Empty(t, name)
}

func TestASchemaThatTheProtocolForbidsIsAnError(t *testing.T) {
	t.Parallel()
	for schema, says := range map[string]string{
		`{"type":"string"}`: `type must be "object", got "string"`,
		`null`:              "must be an object, got null",
		`[]`:                "cannot unmarshal array",
		`{"properties":{"a":{"type":"array","x-mcp-header":"A"}}}`: "x-mcp-header can only be applied to primitive types",
	} {
		_, err := mcptools.Serve([]llm.Tool{{Name: "odd", Schema: json.RawMessage(schema)}})
		require.ErrorContains(t, err, "offer odd to the program: schema: ")
		require.ErrorContains(t, err, says)
	}
	got, err := mcptools.Object(json.RawMessage(`{"properties":{}}`))
	require.NoError(t, err)
	require.JSONEq(t, `{"type":"object","properties":{}}`, string(got))
}

// TestNothingOfAProgramsSessionIsLeft is about programs that end without closing their session.
func TestNothingOfAProgramsSessionIsLeft(t *testing.T) {
	s := serve(t, llm.Tool{Name: "read_file"})
	const reader = "streamableServerConn).Read"
	running := func() bool {
		stack := make([]byte, 1<<20)
		return strings.Contains(string(stack[:runtime.Stack(stack, true)]), reader)
	}
	_, err := connect(t, s).ListTools(t.Context(), nil)
	require.NoError(t, err)
	require.True(t, running())
	s.Close()
	require.Eventually(t, func() bool { return !running() }, time.Minute, time.Millisecond)
}

func TestAFunctionHasAtMost48Bytes(t *testing.T) {
	t.Parallel()
	require.Equal(t, strings.Repeat("x", 48), mcptools.Function(strings.Repeat("x", 48)))
	one, two := mcptools.Function(strings.Repeat("x", 49)), mcptools.Function(strings.Repeat("x", 50))
	require.Len(t, one, 48)
	require.Len(t, two, 48)
	require.NotEqual(t, one, two)
}
