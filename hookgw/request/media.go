package request

import (
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"manualslop/hookgw/openapi"
)

// Media types of answers that are not JSON.
const (
	MediaEvents = "text/event-stream"
	MediaBytes  = "application/octet-stream"
	MediaYAML   = "application/yaml"
	MediaText   = "text/plain"
	MediaSocket = openapi.WebSocket
)

// ReplyMedia sends a body that is not JSON. A client that stops reading is disconnected.
func (c *Call) ReplyMedia(kind string, body []byte) error {
	c.Status = http.StatusOK
	h := c.Response.Header()
	h.Set("Content-Type", kind)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	c.Response.WriteHeader(http.StatusOK)
	if err := c.writeParts(body); err != nil {
		c.Core.Logger.DebugContext(c.Request.Context(), "client disconnected before it got an answer", slog.Any("error", err))
	}
	return nil
}

// writeParts writes a body, each part within one write timeout.
func (c *Call) writeParts(body []byte) error {
	conn := http.NewResponseController(c.Response)
	for len(body) > 0 {
		part := body[:min(len(body), blobPart)]
		if err := conn.SetWriteDeadline(time.Now().Add(c.Core.Limits.WriteTimeout)); err != nil {
			return err
		}
		if _, err := c.Response.Write(part); err != nil {
			return err
		}
		body = body[len(part):]
	}
	return conn.SetWriteDeadline(time.Time{})
}

// blobPart is how much of a body must be sent within one write timeout.
const blobPart = 1 << 20
