package hookclient

import (
	"context"
	"encoding/json"
	"net/url"
	"strconv"

	"manualslop/hookgw/wire"
	"manualslop/projections"
)

// Status is the answer of GET /status.
type Status struct {
	Status string `json:"status"`
}

// GetStatus checks whether the gateway answers.
func (c *Client) GetStatus(ctx context.Context) (Status, error) {
	return read[Status](ctx, c, "/status", nil)
}

// GetHealth checks whether the headless service is alive.
func (c *Client) GetHealth(ctx context.Context) (Status, error) {
	return read[Status](ctx, c, "/health", nil)
}

// GetProject reads the project's configuration, flat as in Manual Slop.
func (c *Client) GetProject(ctx context.Context) (map[string]any, error) {
	var out struct {
		Project map[string]any `json:"project"`
	}
	err := c.get(ctx, "/api/project", nil, &out)
	return out.Project, err
}

// PostProject merges tables into the project's configuration; null removes a key.
func (c *Client) PostProject(ctx context.Context, project map[string]any) error {
	return c.post(ctx, "/api/project", map[string]any{"project": project}, nil)
}

// Session is the discussion.
type Session struct {
	Entries []json.RawMessage `json:"entries"`
}

// Timeline lists what happened in a session, one row per event, oldest first.
type Timeline = wire.Timeline

// GetTimeline reads the rows after a sequence; 0 means from the beginning.
func (c *Client) GetTimeline(ctx context.Context, since uint64) (Timeline, error) {
	return read[Timeline](ctx, c, "/api/timeline", url.Values{"since": {strconv.FormatUint(since, 10)}})
}

// GetSession reads the discussion's entries.
func (c *Client) GetSession(ctx context.Context) (Session, error) {
	var out struct {
		Session Session `json:"session"`
	}
	err := c.get(ctx, "/api/session", nil, &out)
	return out.Session, err
}

// PostSession replaces the discussion's entries, which may be any JSON.
func (c *Client) PostSession(ctx context.Context, entries any) error {
	return c.post(ctx, "/api/session", map[string]any{"session": map[string]any{"entries": entries}}, nil)
}

// GetMMAStatus reads the state of the tiers.
func (c *Client) GetMMAStatus(ctx context.Context) (projections.MMAStatus, error) {
	return read[projections.MMAStatus](ctx, c, "/api/gui/mma_status", nil)
}

// GetDiagnostics reads the indicators.
func (c *Client) GetDiagnostics(ctx context.Context) (projections.Diagnostics, error) {
	return read[projections.Diagnostics](ctx, c, "/api/gui/diagnostics", nil)
}

// Event is an entry of the queue.
type Event struct {
	Seq     uint64          `json:"seq"` // several may share one
	Type    string          `json:"type"`
	Time    string          `json:"ts"`
	Payload json.RawMessage `json:"payload"`
}

// GetEvents takes all events from the reader's queue. It reads them first and then acknowledges them, so that a lost
// answer loses no event. Two clients with the same reader name can both get the same events; give each client its own
// name.
func (c *Client) GetEvents(ctx context.Context) ([]Event, error) {
	var out, rest struct {
		Events  []Event `json:"events"`
		Through uint64  `json:"through"`
		Session string  `json:"session"`
	}
	query := url.Values{"through": {"0"}}
	if c.reader != "" {
		query.Set("client", c.reader)
	}
	if err := c.get(ctx, "/api/events", query, &out); err != nil || len(out.Events) == 0 {
		return nil, err
	}
	query.Set("through", strconv.FormatUint(out.Through, 10))
	query.Set("session", out.Session) // which may no longer be the current one
	// Without an acknowledgement the events come again, which is better than losing them.
	_ = c.get(ctx, "/api/events", query, &rest)
	return out.Events, nil
}

// GetIndicatorState reports whether an indicator is shown: thinking, live or prior, also with the suffix "_indicator".
// An unknown indicator is not shown.
func (c *Client) GetIndicatorState(ctx context.Context, tag string) (bool, error) {
	var out map[string]bool
	if err := c.get(ctx, "/api/gui/diagnostics", nil, &out); err != nil {
		return false, err
	}
	return out[indicator(tag)], nil
}
