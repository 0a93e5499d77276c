package request

import (
	"bytes"
	"encoding/json"
	"net/http"

	"manualslop/projections"
	"manualslop/projections/live"
)

// Show answers with a view of the request's session that all readers share: it is rendered once for each change of the
// models that it uses. Use it for every read whose answer depends only on the session, not on what the client sends.
// Make r with View.
func (c *Call) Show(r live.Rendering) error {
	session, err := c.Session()
	if err != nil {
		return err
	}
	view, ok := c.Core.Models.Session(session)
	if !ok { // no session yet: use empty models
		body, err := r.Render(projections.NewSet())
		if err != nil {
			return err
		}
		return c.ReplyJSON(http.StatusOK, body)
	}
	body, err := view.Rendered(c.Request.Context(), r)
	if err != nil {
		return err
	}
	return c.ReplyJSON(http.StatusOK, body)
}

// View returns a rendering of what of returns, as JSON. The name is unique among the program's renderings; models are
// those that of reads, none: all.
func View(name string, of func(*projections.Set) (any, error), models ...string) live.Rendering {
	return live.Rendering{Name: name, Models: models, Render: func(s *projections.Set) ([]byte, error) {
		v, err := of(s)
		if err != nil {
			return nil, err
		}
		return Encode(v)
	}}
}

// Encode encodes v like every answer. RawMessage members stay as they are.
func Encode(v any) ([]byte, error) {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

// List returns s, or an empty list for nil.
func List(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// Model answers with a read model as the whole body.
func Model(name string) func(*Call) error {
	shown := View(name, func(s *projections.Set) (any, error) { return s.View(name) }, name)
	return func(c *Call) error { return c.Show(shown) }
}
