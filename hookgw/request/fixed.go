package request

import "net/http"

// Answers that the documents of Manual Slop specify byte for byte.
const (
	FixedOK      = `{"status": "ok"}`
	FixedUpdated = `{"status": "updated"}`
	FixedQueued  = `{"status": "queued"}`
)

// ReplyFixed sends one of the answers above.
func (c *Call) ReplyFixed(text string) error { return c.ReplyJSON(http.StatusOK, []byte(text)) }
