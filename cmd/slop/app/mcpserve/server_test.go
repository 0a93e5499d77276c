package mcpserve

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"manualslop/events"
)

func TestOneCallMoreThanTheLimitIsRefused(t *testing.T) {
	t.Parallel()
	s := &server{calls: map[string]*call{}}
	var last *call
	for range MaxCalls {
		c, err := s.begin()
		require.NoError(t, err)
		last = c
	}
	_, err := s.begin()
	require.ErrorContains(t, err, "at most 1024")
	s.end(last)
	_, err = s.begin()
	require.NoError(t, err)
}

// refusalOf is the text of a call that is refused before anything is recorded.
func refusalOf(t *testing.T, client string, args json.RawMessage) string {
	t.Helper()
	s := &server{gone: context.Background(), calls: map[string]*call{}}
	s.writer.Mask = func(b []byte) []byte { return []byte(strings.ReplaceAll(string(b), "hunter2", "***")) }
	there, here := mcp.NewInMemoryTransports()
	gone := func(*mcp.ServerSession) context.Context { return s.gone }
	served, err := s.newMCP(native(), gone).Connect(t.Context(), there, nil)
	require.NoError(t, err)
	session, err := mcp.NewClient(&mcp.Implementation{Name: client, Version: "1"}, nil).Connect(t.Context(), here, nil)
	require.NoError(t, err)
	out, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "read_file", Arguments: args})
	require.NoError(t, err)
	require.True(t, out.IsError)
	require.NoError(t, session.Close())
	require.NoError(t, served.Wait())
	text, ok := out.Content[0].(*mcp.TextContent)
	require.True(t, ok)
	return text.Text
}

func TestCallsBeyondALimitAreNotRecorded(t *testing.T) {
	t.Parallel()
	frame := len(`{"path":""}`)
	long := json.RawMessage(`{"path":"` + strings.Repeat("a", events.MaxArgs-frame+1) + `"}`)
	require.Contains(t, refusalOf(t, "c", long), "at most 131072 bytes, got 131073")
	require.Contains(t, refusalOf(t, strings.Repeat("n", events.MaxMCPClient+1), json.RawMessage(`{}`)), "at most 200 bytes")
	require.Contains(t, refusalOf(t, "c", json.RawMessage(`{"path":"hunter2"}`)), "must not contain a secret")
}
