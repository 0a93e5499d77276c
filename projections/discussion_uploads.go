package projections

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"manualslop/events"
)

// Bounds of uploads that are not whole yet.
const (
	// MaxUploadParts is the number of parts of one upload.
	MaxUploadParts = 512
	// maxUploads is how many are kept at once; the one begun first gives way.
	maxUploads = 4
	// maxUploadBytes bounds the text of one.
	maxUploadBytes = 32 << 20
)

// upload is what has come of a text so far.
type upload struct {
	ID    string   `json:"id"`
	Actor string   `json:"actor"`
	Kind  string   `json:"kind"`
	Count int      `json:"count"`
	Bytes int      `json:"bytes"`
	Parts []string `json:"parts"`
}

// uploaded joins a part to its upload and applies the text with the last one.
// A part out of order ends its upload.
func (c *conversation) uploaded(e *events.Event, p *events.SessionPartUploaded) string {
	i := slices.IndexFunc(c.Uploads, func(u *upload) bool { return u.ID == p.Upload && u.Actor == e.Actor })
	if p.Index == 0 && i < 0 {
		if p.Count < 1 || p.Count > MaxUploadParts {
			return fmt.Sprintf("an upload has 1 to %d parts", MaxUploadParts)
		}
		if len(c.Uploads) >= maxUploads {
			c.Uploads = slices.Delete(slices.Clone(c.Uploads), 0, 1)
		}
		i = len(c.Uploads)
		c.Uploads = append(c.Uploads, &upload{ID: p.Upload, Actor: e.Actor, Kind: p.Kind, Count: p.Count})
	}
	if i < 0 {
		return "parts of the upload are missing, or too many others came between"
	}
	u := c.Uploads[i]
	if p.Index != len(u.Parts) || p.Count != u.Count || p.Kind != u.Kind || u.Bytes+len(p.Text) > maxUploadBytes {
		c.Uploads = slices.Delete(slices.Clone(c.Uploads), i, i+1)
		return "the parts of the upload do not fit each other"
	}
	u.Parts, u.Bytes = append(u.Parts, p.Text), u.Bytes+len(p.Text)
	if len(u.Parts) < u.Count {
		return ""
	}
	c.Uploads = slices.Delete(slices.Clone(c.Uploads), i, i+1)
	return c.whole(e, u.Kind, strings.Join(u.Parts, ""))
}

func (c *conversation) whole(e *events.Event, kind, text string) string {
	switch kind {
	case events.UploadEntries:
		return c.replace(e, json.RawMessage(text))
	case events.UploadHistory:
		return c.importHistory(e, []byte(text))
	}
	return "nothing is known of uploads of the kind " + kind
}
