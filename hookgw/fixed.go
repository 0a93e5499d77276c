package hookgw

import (
	"encoding/json"
	"net/http"
)

// The answers that the original's documents spell out, byte for byte.
const (
	fixedOK      = `{"status": "ok"}`
	fixedUpdated = `{"status": "updated"}`
	fixedQueued  = `{"status": "queued"}`
)

// replyFixed sends one of the answers above.
func (c *call) replyFixed(text string) error { return c.replyJSON(http.StatusOK, []byte(text)) }

// askAnswer is what replyResponse sends.
type askAnswer struct {
	Status   string          `json:"status"`
	Response json.RawMessage `json:"response"`
}

// replyResponse answers POST /api/ask, spelled as the original does.
func (c *call) replyResponse(response json.RawMessage) error {
	return c.replyFixed(`{"status": "ok", "response": ` + string(response) + `}`)
}
