package hookclient

import (
	"context"

	"manualslop/hookgw/wire"
)

// UndoSpec says what to undo: exactly one of Call, Ticket and ToSeq, or only Path.
type UndoSpec struct {
	Call   string `json:"call,omitempty"`
	Ticket string `json:"ticket,omitempty"`
	// ToSeq undoes everything that was settled or merged after this sequence of the log.
	ToSeq uint64 `json:"to_seq,omitempty"`
	// Path limits the undo to one file; alone, it undoes all changes of that file.
	Path string `json:"path,omitempty"`
}

// Undone is the outcome of an undo: restored, or accepted if no worker has carried it out yet.
type Undone = wire.UndoAnswer

// Undo restores the earlier content of files, all of them or none. Status 409 means that nothing was changed; the
// message says why, with the difference.
func (c *Client) Undo(ctx context.Context, what UndoSpec) (Undone, error) {
	var out Undone
	err := c.post(ctx, "/api/undo", what, &out)
	return out, err
}

// RequestPatch lets tier 4 propose a patch for a failed shell call. The patch arrives as an ask; if no patch is
// possible, a PatchSkipped event says why.
func (c *Client) RequestPatch(ctx context.Context, call string) error {
	return c.control(ctx, map[string]any{"action": "patch", "call": call})
}

// RaiseBudget sets the limit of the session, or of the named ticket, in micro-dollars. A limit that is not higher than
// the current one changes nothing.
func (c *Client) RaiseBudget(ctx context.Context, limitMicroDollars int64, ticket string) error {
	body := map[string]any{"action": "raise_budget", "budget": "session", "limit_micro_dollars": limitMicroDollars}
	if ticket != "" {
		body["budget"], body["ticket"] = "ticket", ticket
	}
	return c.control(ctx, body)
}

func (c *Client) control(ctx context.Context, body map[string]any) error {
	return c.post(ctx, "/api/control", body, nil)
}
