package hookgw

import (
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"manualslop/events"
)

// getBlob answers with the bytes of a body that an event names by its SHA-256.
func getBlob(c *call) error {
	digest := c.vars["sha256"]
	missing := refuse(http.StatusNotFound, "there is no such body", "Give the sha256 that an event of the log names, in lower-case hexadecimal.")
	if c.gw.cfg.Blobs == nil || !isDigest(digest) {
		return missing
	}
	body, err := c.gw.cfg.Blobs.Get(c.r.Context(), digest)
	if errors.Is(err, events.ErrNoBlob) {
		return missing.because(err)
	}
	if err != nil {
		return err
	}
	return c.replyBytes(body)
}

// isDigest tells whether s is a SHA-256 as events write it.
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

// replyBytes sends a body of no known type. A client that stops reading is cut off.
func (c *call) replyBytes(body []byte) error {
	c.status = http.StatusOK
	h := c.w.Header()
	h.Set("Content-Type", "application/octet-stream")
	h.Set("Content-Disposition", "attachment")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	c.w.WriteHeader(http.StatusOK)
	if err := c.writeParts(body); err != nil {
		c.gw.cfg.Logger.DebugContext(c.r.Context(), "client left before its answer", slog.Any("error", err))
	}
	return nil
}

// writeParts writes a body, each part within one write timeout.
func (c *call) writeParts(body []byte) error {
	conn := http.NewResponseController(c.w)
	for len(body) > 0 {
		part := body[:min(len(body), blobPart)]
		if err := conn.SetWriteDeadline(time.Now().Add(c.gw.cfg.Limits.WriteTimeout)); err != nil {
			return err
		}
		if _, err := c.w.Write(part); err != nil {
			return err
		}
		body = body[len(part):]
	}
	return conn.SetWriteDeadline(time.Time{})
}

// blobPart is how much of a body must leave within one write timeout.
const blobPart = 1 << 20
