package hookgw

import (
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"manualslop/hookgw/openapi"
)

// Types of answers that are not JSON.
const (
	mediaEvents = "text/event-stream"
	mediaBytes  = "application/octet-stream"
	mediaYAML   = "application/yaml"
	mediaText   = "text/plain"
	mediaSocket = openapi.WebSocket
)

// replyMedia sends a body that is not JSON. A client that stops reading is cut off.
func (c *call) replyMedia(kind string, body []byte) error {
	c.status = http.StatusOK
	h := c.w.Header()
	h.Set("Content-Type", kind)
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
