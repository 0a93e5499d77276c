package mcp

import (
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"manualslop/events"
	"manualslop/tools"
)

// Limits of the words that describe a block, in bytes.
const (
	maxMedia = 80
	maxURI   = 1000
)

// textOf joins the blocks of a result, one below the other. For binary blocks it gives the size.
func textOf(blocks []sdk.Content) string {
	var b strings.Builder
	for _, block := range blocks {
		switch c := block.(type) {
		case *sdk.TextContent:
			b.WriteString(cleanText(c.Text))
		case *sdk.ImageContent:
			fmt.Fprintf(&b, "[image %s, %d bytes]", fit(c.MIMEType, maxMedia), len(c.Data))
		case *sdk.AudioContent:
			fmt.Fprintf(&b, "[audio %s, %d bytes]", fit(c.MIMEType, maxMedia), len(c.Data))
		case *sdk.ResourceLink:
			fmt.Fprintf(&b, "[resource %s]", fit(c.URI, maxURI))
		case *sdk.EmbeddedResource:
			if c.Resource != nil && c.Resource.Blob == nil {
				b.WriteString(cleanText(c.Resource.Text))
			} else if c.Resource != nil {
				fmt.Fprintf(&b, "[%s, %d bytes]", fit(c.Resource.MIMEType, maxMedia), len(c.Resource.Blob))
			}
		}
		b.WriteString("\n")
	}
	return b.String()
}

// contentOf returns the blocks of a result, or nil if all of them are texts. Blocks beyond events.MaxContent are
// replaced by a text that counts them.
func contentOf(r *sdk.CallToolResult) []tools.Content {
	out := contents(r.Content)
	if !slices.ContainsFunc(out, func(c tools.Content) bool { return c.Kind != events.ContentText }) {
		return nil
	}
	if more := len(out) - events.MaxContent; more > 0 {
		last := events.MaxContent - 1
		out = append(out[:last:last], tools.Content{Kind: events.ContentText,
			Text: fmt.Sprintf("[%d more blocks were dropped: the limit is %d]", more+1, events.MaxContent)})
	}
	return out
}

// contents returns blocks as they are recorded.
func contents(blocks []sdk.Content) (out []tools.Content) {
	for _, block := range blocks {
		var c tools.Content
		switch b := block.(type) {
		case *sdk.TextContent:
			c = tools.Content{Kind: events.ContentText, Text: cleanText(b.Text)}
		case *sdk.ImageContent:
			c = tools.Content{Kind: events.ContentImage, Data: b.Data, Media: b.MIMEType}
		case *sdk.AudioContent:
			c = tools.Content{Kind: events.ContentAudio, Data: b.Data, Media: b.MIMEType}
		case *sdk.ResourceLink:
			c = tools.Content{Kind: events.ContentLink, Media: b.MIMEType, URI: b.URI, Name: fit(b.Name, maxToolName)}
		case *sdk.EmbeddedResource:
			if b.Resource == nil {
				continue
			}
			c = tools.Content{Kind: events.ContentResource, Text: cleanText(b.Resource.Text), Data: b.Resource.Blob,
				Media: b.Resource.MIMEType, URI: b.Resource.URI}
		default:
			continue // of no use in a result
		}
		c.Media, c.URI = fit(c.Media, maxMedia), fit(c.URI, maxURI)
		out = append(out, c)
	}
	return out
}
