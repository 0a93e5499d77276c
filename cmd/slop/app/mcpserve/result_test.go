package mcpserve

import (
	"context"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"manualslop/events"
)

func TestBlocksOfAResultReachTheClient(t *testing.T) {
	t.Parallel()
	stored := map[string]string{"png": "\x89PNG", "long": "a long text"}
	s := &server{blobs: func(_ context.Context, sha256 string) ([]byte, error) {
		if body, there := stored[sha256]; there {
			return []byte(body), nil
		}
		return nil, events.ErrNoBlob
	}}
	s.writer.Mask = func(b []byte) []byte { return []byte(strings.ReplaceAll(string(b), "hunter2", "***")) }
	bytes := func(sha256 string) *events.BlobRef { return &events.BlobRef{SHA256: sha256, Size: 4} }
	settled := events.ToolSettled{Outcome: events.ToolDone, Text: "described", Content: []events.Content{
		{Kind: events.ContentText, Text: "hunter2"},
		{Kind: events.ContentImage, Media: "image/png", Blob: bytes("png")},
		{Kind: events.ContentAudio, Media: "audio/wav", Blob: bytes("gone")},
		{Kind: events.ContentLink, URI: "u:l", Name: "n"},
		{Kind: events.ContentResource, URI: "u:t", Blob: &events.BlobRef{SHA256: "long", MediaType: events.ContentTextMedia}},
		{Kind: events.ContentResource, URI: "u:b", Blob: bytes("png")},
	}}
	got, err := s.result(t.Context(), settled, nil)
	require.NoError(t, err)
	require.Equal(t, []mcp.Content{
		&mcp.TextContent{Text: "***"},
		&mcp.ImageContent{Data: []byte("\x89PNG"), MIMEType: "image/png"},
		&mcp.TextContent{Text: "[audio of 4 bytes cannot be read: " + events.ErrNoBlob.Error() + "]"},
		&mcp.ResourceLink{URI: "u:l", Name: "n"},
		&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "u:t", Text: "a long text"}},
		&mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "u:b", Blob: []byte("\x89PNG")}},
	}, got.Content)
}
