package record

import (
	"errors"
	"net/http"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/hookgw/problem"
	"manualslop/hookgw/request"
)

// GetBlob answers with the bytes of a body that an event names by its SHA-256.
func GetBlob(c *core.Call) error {
	digest := c.Vars["sha256"]
	missing := problem.New(http.StatusNotFound, "no such body",
		"Give the sha256 that an event of the log names, in lower-case hexadecimal.")
	if c.Gw.Cfg.Blobs == nil || !isDigest(digest) {
		return missing
	}
	body, err := c.Gw.Cfg.Blobs.Get(c.Request.Context(), digest)
	if errors.Is(err, events.ErrNoBlob) {
		return missing.WithCause(err)
	}
	if err != nil {
		return err
	}
	if !c.Hold(len(body)) {
		return c.Overloaded()
	}
	c.Response.Header().Set("Content-Disposition", "attachment")
	return c.ReplyMedia(request.MediaBytes, body)
}

// isDigest reports whether s is a SHA-256 in the form that events use.
func isDigest(s string) bool {
	if len(s) != 64 {
		return false
	}
	for i := range len(s) {
		if (s[i] < '0' || s[i] > '9') && (s[i] < 'a' || s[i] > 'f') {
			return false
		}
	}
	return true
}
