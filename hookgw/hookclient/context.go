package hookclient

import (
	"context"
	"encoding/json"
	"time"
)

// ContextFile is a tracked file as the record knows it.
type ContextFile struct {
	Path     string     `json:"path"`
	SHA256   string     `json:"sha256"` // when it was seen last; empty: it was not, or is not there
	Size     int64      `json:"size"`
	Seen     *time.Time `json:"seen"`
	Changed  bool       `json:"changed"` // since the newest view of it
	Written  *time.Time `json:"written"` // by a tool
	ViewMode string     `json:"view_mode"`
	Error    string     `json:"error"`
}

// ContextState is what models may be shown of the project.
type ContextState struct {
	BaseDir      string              `json:"base_dir"`
	Patterns     []string            `json:"patterns"`
	Skipped      []string            `json:"skipped"`
	ScannedAt    *time.Time          `json:"scanned_at"`
	Files        []ContextFile       `json:"files"`
	Selection    json.RawMessage     `json:"selection"`
	Presets      []string            `json:"presets"`
	Injected     json.RawMessage     `json:"injected"`
	Views        json.RawMessage     `json:"views"`
	Dependencies map[string][]string `json:"dependencies"`
	Discussion   string              `json:"discussion"`
}

// GetContextState reads what models may be shown of the project.
func (c *Client) GetContextState(ctx context.Context) (ContextState, error) {
	return read[ContextState](ctx, c, "/api/context/state", nil)
}

// Injected is a view of a file that went into the discussion. Its bytes are in
// the entry, or behind GetBlob where Blob is true.
type Injected struct {
	Status  string `json:"status"`
	Request string `json:"request"`
	Path    string `json:"path"`
	View    string `json:"view"`
	SHA256  string `json:"sha256"`
	Size    int64  `json:"size"`
	Blob    bool   `json:"blob"`
}

// InjectContext puts a view of a file into the active discussion: full (also when
// empty), skeleton, outline, summary or tree.
func (c *Client) InjectContext(ctx context.Context, path, mode string) (Injected, error) {
	var out Injected
	err := c.post(ctx, "/api/context/inject", map[string]string{"path": path, "mode": mode}, &out)
	return out, err
}

// SwitchProject goes over to another project document below the project folder.
// Changes that are not saved are a refusal unless discard gives them up.
// WaitForProjectSwitch tells how it ended.
func (c *Client) SwitchProject(ctx context.Context, path string, discard bool) error {
	return c.post(ctx, "/api/project/switch", map[string]any{"path": path, "discard": discard}, nil)
}

// LoadProject loads a project document; without a path the present one again.
func (c *Client) LoadProject(ctx context.Context, path string, discard bool) error {
	body := map[string]any{"discard": discard}
	if path != "" {
		body["path"] = path
	}
	return c.post(ctx, "/api/project/load", body, nil)
}

// SaveProject writes the project document to a file, which is its own from then
// on; without a path to the one it has. With force it does so although somebody
// else changed that.
func (c *Client) SaveProject(ctx context.Context, path string, force bool) error {
	body := map[string]any{"force": force}
	if path != "" {
		body["path"] = path
	}
	return c.post(ctx, "/api/project/save", body, nil)
}
