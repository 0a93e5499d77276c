package hookclient

import (
	"context"
	"net/url"

	"manualslop/hookgw/wire"
	"manualslop/projections"
)

// ContextFile is a tracked file as recorded.
type ContextFile = wire.ContextFile

// ContextState is the part of the project that models may see.
type ContextState = wire.ContextState

// GetContextState reads the part of the project that models may see.
func (c *Client) GetContextState(ctx context.Context) (ContextState, error) {
	return read[ContextState](ctx, c, "/api/context/state", nil)
}

// ContextPreview is the context of a request to a model, as Markdown and in parts.
type ContextPreview = wire.ContextPreview

// GetContextPreview reads the context of the next turn of the active discussion as if text were sent now. If ticket
// is set, it reads the context of the newest request that was sent for this ticket or turn.
func (c *Client) GetContextPreview(ctx context.Context, text, ticket string) (ContextPreview, error) {
	query := url.Values{}
	for name, value := range map[string]string{"text": text, "ticket": ticket} { // order-independent
		if value != "" {
			query.Set(name, value)
		}
	}
	return read[ContextPreview](ctx, c, "/api/context/preview", query)
}

// Injected is a view of a file that was added to the discussion. Its bytes are in the entry; if Blob is true, GetBlob
// reads them.
type Injected = wire.InjectAnswer

// InjectContext adds a view of a file to the active discussion: full (also if empty), skeleton, outline, summary or
// tree.
func (c *Client) InjectContext(ctx context.Context, path, mode string) (Injected, error) {
	var out Injected
	err := c.post(ctx, "/api/context/inject", map[string]string{"path": path, "mode": mode}, &out)
	return out, err
}

// SliceSpec names lines of a file and where to record them.
type SliceSpec struct {
	// Path is relative to the project folder.
	Path string `json:"path"`
	// StartLine and EndLine are counted from 1 and inclusive.
	StartLine int `json:"start_line"`
	EndLine   int `json:"end_line"`
	// Name replaces the file's slice of that name; empty: the slice has no name.
	Name string `json:"name,omitempty"`
	// Preset is a context preset, which is created if it is missing; empty: the project's files.
	Preset string `json:"preset,omitempty"`
}

// RecordedSlice is a slice with the lines by which it is found again.
type RecordedSlice = wire.SliceAnswer

// AddSlice records lines of a file: tickets that need the file see them instead of the whole file.
func (c *Client) AddSlice(ctx context.Context, s SliceSpec) (RecordedSlice, error) {
	var out RecordedSlice
	err := c.post(ctx, "/api/context/slices", s, &out)
	return out, err
}

// Curation is the history of people's changes to the discussions, the context and the project.
type Curation = projections.Curation

// Curation reads the history of people's changes.
func (c *Client) Curation(ctx context.Context) (Curation, error) {
	return read[Curation](ctx, c, "/api/curation", nil)
}

// CurationMove is an undo or a redo that took effect.
type CurationMove = wire.CurationAnswer

// UndoCuration undoes a user's newest change. after is the position that [Client.Curation] returned; 0 means the
// current one. If something was changed, undone or redone since then, the error is a conflict.
func (c *Client) UndoCuration(ctx context.Context, after uint64) (CurationMove, error) {
	return c.moveCuration(ctx, "/api/curation/undo", after)
}

// RedoCuration redoes the newest undone change; see [Client.UndoCuration].
func (c *Client) RedoCuration(ctx context.Context, after uint64) (CurationMove, error) {
	return c.moveCuration(ctx, "/api/curation/redo", after)
}

func (c *Client) moveCuration(ctx context.Context, path string, after uint64) (CurationMove, error) {
	body := map[string]uint64{}
	if after > 0 {
		body["after"] = after
	}
	var out CurationMove
	err := c.post(ctx, path, body, &out)
	return out, err
}

// SwitchProject switches to another project document below the project folder. Unsaved changes make it fail unless
// discard drops them. WaitForProjectSwitch reports the outcome.
func (c *Client) SwitchProject(ctx context.Context, path string, discard bool) error {
	return c.post(ctx, "/api/project/switch", map[string]any{"path": path, "discard": discard}, nil)
}

// LoadProject loads a project document. Without a path it reloads the current one.
func (c *Client) LoadProject(ctx context.Context, path string, discard bool) error {
	body := map[string]any{"discard": discard}
	if path != "" {
		body["path"] = path
	}
	return c.post(ctx, "/api/project/load", body, nil)
}

// SaveProject writes the project document to path, which becomes its file, or without a path to its current file.
// force overwrites a file that has changed in the meantime.
func (c *Client) SaveProject(ctx context.Context, path string, force bool) error {
	body := map[string]any{"force": force}
	if path != "" {
		body["path"] = path
	}
	return c.post(ctx, "/api/project/save", body, nil)
}
