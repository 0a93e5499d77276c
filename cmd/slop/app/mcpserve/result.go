package mcpserve

import (
	"context"
	"errors"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"manualslop/events"
)

// result returns the result of a tool call that has ended. A rejection is a result that says so.
func (s *server) result(ctx context.Context, end events.Payload, err error) (*mcp.CallToolResult, error) {
	if said, refused := errors.AsType[refusal](err); refused {
		return failed(string(said)), nil
	}
	if needed, asks := errors.AsType[*inputNeeded](err); asks {
		return &mcp.CallToolResult{InputRequests: needed.asked, RequestState: needed.state}, nil
	}
	p, settled := end.(events.ToolSettled)
	switch {
	case err != nil:
		return nil, err
	case !settled:
		return failed(unsettled(end)), nil
	}
	if s.external != "" && p.Outcome == events.ToolFailed {
		if err := s.failure(p, 0); err != nil {
			return nil, err
		}
	}
	out := &mcp.CallToolResult{IsError: p.Outcome != events.ToolDone}
	for _, c := range p.Content {
		out.Content = append(out.Content, s.block(ctx, c))
	}
	if len(p.Content) == 0 {
		out.Content = []mcp.Content{&mcp.TextContent{Text: s.masked(p.Text)}}
	}
	return out, nil
}

// unsettled returns the reason why a call ended without an outcome.
func unsettled(end events.Payload) string {
	switch p := end.(type) {
	case events.ToolDenied:
		return "not allowed: " + p.Reason
	case events.ToolParked:
		return fmt.Sprintf("given up after %d deliveries: %s", p.Deliveries, p.Reason)
	}
	return "it ended without an outcome"
}

func failed(text string) *mcp.CallToolResult {
	return &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: text}}}
}

// block returns one block of a result as the client receives it. If the block's bytes are gone, it returns a text
// that says so.
func (s *server) block(ctx context.Context, c events.Content) mcp.Content {
	text, data := s.masked(c.Text), []byte(nil)
	if c.Blob != nil {
		stored, err := s.blobs(ctx, c.Blob.SHA256)
		switch {
		case err != nil:
			return &mcp.TextContent{Text: fmt.Sprintf("[%s of %d bytes cannot be read: %v]", c.Kind, c.Blob.Size, err)}
		case c.Blob.MediaType == events.ContentTextMedia:
			text = s.masked(string(stored))
		default:
			data = stored
		}
	}
	switch c.Kind {
	case events.ContentImage:
		return &mcp.ImageContent{Data: data, MIMEType: c.Media}
	case events.ContentAudio:
		return &mcp.AudioContent{Data: data, MIMEType: c.Media}
	case events.ContentLink:
		return &mcp.ResourceLink{URI: c.URI, Name: c.Name, MIMEType: c.Media}
	case events.ContentResource:
		return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: c.URI, MIMEType: c.Media, Text: text, Blob: data}}
	}
	return &mcp.TextContent{Text: text}
}

// masked hides secrets that were configured after the text was recorded.
func (s *server) masked(text string) string {
	if s.writer.Mask == nil {
		return text
	}
	return string(s.writer.Mask([]byte(text)))
}
