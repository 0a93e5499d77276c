package request

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
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

// Known is the answer that ReplyUnlessKnown sends to a client that already has the newest state.
func Known() Answer {
	return Answer{Status: http.StatusNotModified, Doc: "The state is still the one that If-None-Match names."}
}

// ReplyUnlessKnown sends v as JSON with an ETag of its bytes. If the request's If-None-Match equals that tag, it only
// reports that nothing has changed.
func (c *Call) ReplyUnlessKnown(v any) error {
	body, err := Encode(v)
	if err != nil {
		return err
	}
	return c.ReplyEncodedUnlessKnown(body)
}

// ReplyEncodedUnlessKnown is like ReplyUnlessKnown for JSON that is already encoded.
func (c *Call) ReplyEncodedUnlessKnown(body []byte) error {
	digest := sha256.Sum256(body)
	tag := `"` + base64.RawURLEncoding.EncodeToString(digest[:16]) + `"`
	c.Response.Header().Set("ETag", tag)
	if c.Request.Header.Get("If-None-Match") != tag {
		return c.ReplyJSON(http.StatusOK, body)
	}
	c.Status = http.StatusNotModified
	c.Response.WriteHeader(c.Status)
	return nil
}

// View returns a rendering, as JSON, of the value that of returns. The name must be unique in the program; models are
// the models that of reads, and none means all.
func View(name string, of func(*projections.Set) (any, error), models ...string) live.Rendering {
	return live.Rendering{Name: name, Models: models, Render: func(s *projections.Set) ([]byte, error) {
		v, err := of(s)
		if err != nil {
			return nil, err
		}
		return Encode(v)
	}}
}

// Encode encodes v the way all answers are encoded. RawMessage members are not changed.
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

// Model returns a handler that answers with a read model as the whole body.
func Model(name string) func(*Call) error {
	shown := View(name, func(s *projections.Set) (any, error) { return s.View(name) }, name)
	return func(c *Call) error { return c.Show(shown) }
}
