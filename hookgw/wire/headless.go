package wire

import "manualslop/projections"

// Generated is the answer of POST /api/v1/generate.
type Generated struct {
	Status string `json:"status"` // ok
	Text   string `json:"text"`   // the worker's final text
	// completed, removed, stopped, or why its ticket is blocked: worker (it gave up), killed, denied,
	// manual, dependency; of a turn done, failed or stopped
	Outcome    string            `json:"outcome"`
	Reason     string            `json:"reason"` // if the outcome is not completed
	Usage      projections.Usage `json:"usage"`  // in tokens, of all its requests
	Provider   string            `json:"provider"`
	Model      string            `json:"model"`
	Ticket     string            `json:"ticket"`
	Discussion string            `json:"discussion,omitempty"` // of a turn
	Entry      string            `json:"entry,omitempty"`      // that holds the answer of a turn
	StreamID   string            `json:"stream_id"`
	RequestID  string            `json:"request_id,omitempty"`
	Rounds     int               `json:"rounds"`
	DurationMS int64             `json:"duration_ms"` // from the request to the end
}
