package hookclient

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"manualslop/hookgw/wire"
)

// Ask is a question in the inbox.
type Ask struct {
	RequestID string          `json:"request_id"` // the id for RespondToAsk
	State     string          `json:"state"`      // pending, settled
	Gate      string          `json:"gate"`       // http, tool, step, spawn …
	Title     string          `json:"title"`
	Ticket    string          `json:"ticket"`
	Tool      string          `json:"tool"`
	Args      json.RawMessage `json:"args"`
	Diff      string          `json:"diff"`
	RaisedAt  time.Time       `json:"raised_at"`
}

// newRequestID returns an id that identifies a request however often it is sent.
func newRequestID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program instead
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// PostAsk asks the user a question, waits for the answer and returns it verbatim. body gets a request_id if it has
// none: if the connection is lost, sending the request again joins its ask. Treat every error as a rejection; status
// 504 means that no answer came in time.
func (c *Client) PostAsk(ctx context.Context, body map[string]any) (json.RawMessage, error) {
	sent := map[string]any{"request_id": newRequestID()}
	for name, value := range body {
		sent[name] = value
	}
	raw, err := json.Marshal(sent)
	if err != nil {
		return nil, fmt.Errorf("encode the question: %w", err)
	}
	answer, err := c.send(ctx, request{method: http.MethodPost, path: "/api/ask", body: raw})
	if err != nil {
		return nil, err
	}
	var out struct {
		Response json.RawMessage `json:"response"`
	}
	err = decode(answer, &out)
	return out.Response, err
}

// RequestConfirmation asks whether a tool may be used with these arguments, and
// waits for the answer as PostAsk does.
func (c *Client) RequestConfirmation(ctx context.Context, toolName string, args any) (json.RawMessage, error) {
	return c.PostAsk(ctx, map[string]any{"type": "tool_approval", "tool": toolName, "args": args})
}

// RespondToAsk answers a question. A gate accepts true, false or {"approved", "args", "reason"} and treats everything
// else as a rejection; the response to a question of /api/ask is passed on verbatim.
func (c *Client) RespondToAsk(ctx context.Context, requestID string, response any) error {
	return c.post(ctx, "/api/ask/respond", map[string]any{"request_id": requestID, "response": response}, nil)
}

// AskPreview is what a call would change with other arguments.
type AskPreview = wire.AskPreview

// PreviewAsk shows what the call of an open ask would change with other arguments, and changes nothing.
func (c *Client) PreviewAsk(ctx context.Context, requestID string, args any) (AskPreview, error) {
	var out AskPreview
	err := c.post(ctx, "/api/ask/preview", map[string]any{"request_id": requestID, "args": args}, &out)
	return out, err
}

// GetAsks lists questions: the pending or settled ones, or all.
func (c *Client) GetAsks(ctx context.Context, state string) ([]Ask, error) {
	var out struct {
		Asks []Ask `json:"asks"`
	}
	err := c.get(ctx, "/api/asks", url.Values{"state": {state}}, &out)
	return out.Asks, err
}
