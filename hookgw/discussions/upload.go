package discussions

import (
	"unicode/utf8"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/projections"
)

const (
	// uploadPart is the size of a part in bytes. As JSON it may be six times as long, which still fits into an event.
	uploadPart = 64 << 10
	// smallUpload is the largest text, as JSON, that is sent in one event instead of parts.
	smallUpload = 192 << 10
)

// upload publishes a text, which must already be masked, in as many parts as needed, and waits until the last one is
// applied.
func upload(c *core.Call, session, kind, text string) error {
	parts := cut(text, uploadPart)
	id := c.Gw.Cfg.NewID()
	var last events.Event
	for i, part := range parts {
		e, err := c.Gw.Event(c.Gw.Person, session, events.SessionPartUploaded{Upload: id, Kind: kind, Index: i,
			Count: len(parts), Text: part})
		if err != nil {
			return err
		}
		if e.Seq, err = c.Gw.Append(c.Request.Context(), c.Gw.Person, e, nil); err != nil {
			return err
		}
		c.Wrote, last = true, e
	}
	if err := c.Gw.CaughtUp(c.Request.Context(), last.Seq); err != nil {
		return err
	}
	return c.Counts(session, last.ID, (*projections.Set).DiscussionRefusal)
}

// cut splits a text into parts of at most size bytes, between characters. It returns at least one part.
func cut(text string, size int) []string {
	var parts []string
	for len(text) > size {
		end := size
		for end > size-utf8.UTFMax && !utf8.RuneStart(text[end]) {
			end--
		}
		parts, text = append(parts, text[:end]), text[end:]
	}
	return append(parts, text)
}
