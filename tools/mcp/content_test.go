package mcp

import (
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/tools"
)

func TestRequirement08AllBlocksOfAResultAreKept(t *testing.T) {
	t.Parallel()
	got := contentOf(&sdk.CallToolResult{Content: []sdk.Content{
		&sdk.TextContent{Text: "a\u202eb"},
		&sdk.ImageContent{Data: []byte{1}, MIMEType: "image/png" + strings.Repeat("x", maxMedia)},
		&sdk.AudioContent{Data: []byte{2}, MIMEType: "audio/wav"},
		&sdk.ResourceLink{URI: "u:" + strings.Repeat("x", maxURI), Name: strings.Repeat("n", maxToolName+1)},
		&sdk.ResourceLink{URI: "u:" + strings.Repeat("x", maxURI-2), Name: strings.Repeat("n", maxToolName)},
		&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "u:t", MIMEType: "text/plain", Text: "c\x07d"}},
		&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "u:b", Blob: []byte{3}}},
		&sdk.EmbeddedResource{},
	}})
	require.Equal(t, []tools.Content{
		{Kind: events.ContentText, Text: "ab"},
		{Kind: events.ContentImage, Data: []byte{1}, Media: "[89 bytes]"},
		{Kind: events.ContentAudio, Data: []byte{2}, Media: "audio/wav"},
		{Kind: events.ContentLink, URI: "[1002 bytes]", Name: "[129 bytes]"},
		{Kind: events.ContentLink, URI: "u:" + strings.Repeat("x", maxURI-2), Name: strings.Repeat("n", maxToolName)},
		{Kind: events.ContentResource, URI: "u:t", Media: "text/plain", Text: "cd"},
		{Kind: events.ContentResource, URI: "u:b", Data: []byte{3}},
	}, got)
}

func TestAResultOfTextsHasNoOtherContent(t *testing.T) {
	t.Parallel()
	require.Nil(t, contentOf(&sdk.CallToolResult{Content: []sdk.Content{&sdk.TextContent{Text: "a"},
		&sdk.TextContent{Text: "b"}}}))
}

func TestBlocksBeyondTheLimitAreCounted(t *testing.T) {
	t.Parallel()
	image := &sdk.ImageContent{Data: []byte{1}}
	r := &sdk.CallToolResult{}
	for range events.MaxContent {
		r.Content = append(r.Content, image)
	}
	kept := contentOf(r)
	require.Len(t, kept, events.MaxContent)
	require.Equal(t, events.ContentImage, kept[events.MaxContent-1].Kind)
	r.Content = append(r.Content, image)
	kept = contentOf(r)
	require.Len(t, kept, events.MaxContent)
	require.Equal(t, "[2 more blocks were dropped: the limit is 32]", kept[events.MaxContent-1].Text)
}
