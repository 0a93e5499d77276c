package mcp

import (
	"encoding/json"
	"fmt"
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
func textOf(r *sdk.CallToolResult) string {
	var b strings.Builder
	for _, block := range r.Content {
		switch c := block.(type) {
		case *sdk.TextContent:
			b.WriteString(cleanText(c.Text))
		case *sdk.ImageContent:
			fmt.Fprintf(&b, "[image %s, %d bytes]", clean(c.MIMEType, maxMedia), len(c.Data))
		case *sdk.AudioContent:
			fmt.Fprintf(&b, "[audio %s, %d bytes]", clean(c.MIMEType, maxMedia), len(c.Data))
		case *sdk.ResourceLink:
			fmt.Fprintf(&b, "[resource %s]", clean(c.URI, maxURI))
		case *sdk.EmbeddedResource:
			if c.Resource != nil {
				b.WriteString(cleanText(c.Resource.Text))
			}
		}
		b.WriteString("\n")
	}
	if b.Len() == 0 && r.StructuredContent != nil {
		if raw, err := json.Marshal(r.StructuredContent); err == nil {
			b.Write(raw)
		}
	}
	return b.String()
}

// contentOf returns the blocks of a result, or nil if all of them are texts. Blocks beyond events.MaxContent are
// replaced by a text that counts them.
func contentOf(r *sdk.CallToolResult) []tools.Content {
	var out []tools.Content
	other := false
	for _, block := range r.Content {
		var c tools.Content
		switch b := block.(type) {
		case *sdk.TextContent:
			c = tools.Content{Kind: events.ContentText, Text: cleanText(b.Text)}
		case *sdk.ImageContent:
			c = tools.Content{Kind: events.ContentImage, Data: b.Data, Media: b.MIMEType}
		case *sdk.AudioContent:
			c = tools.Content{Kind: events.ContentAudio, Data: b.Data, Media: b.MIMEType}
		case *sdk.ResourceLink:
			c = tools.Content{Kind: events.ContentLink, Media: b.MIMEType, URI: b.URI, Name: clean(b.Name, maxToolName)}
		case *sdk.EmbeddedResource:
			if b.Resource == nil {
				continue
			}
			c = tools.Content{Kind: events.ContentResource, Text: cleanText(b.Resource.Text), Data: b.Resource.Blob,
				Media: b.Resource.MIMEType, URI: b.Resource.URI}
		default:
			continue // of no use in a result
		}
		c.Media, c.URI = clean(c.Media, maxMedia), clean(c.URI, maxURI)
		other = other || c.Kind != events.ContentText
		out = append(out, c)
	}
	if !other {
		return nil
	}
	if more := len(out) - events.MaxContent; more > 0 {
		last := events.MaxContent - 1
		out = append(out[:last:last], tools.Content{Kind: events.ContentText,
			Text: fmt.Sprintf("[%d more blocks were not kept: at most %d]", more+1, events.MaxContent)})
	}
	return out
}
