// Package wire holds the data that the gateway and its clients exchange over HTTP.
package wire

import (
	"manualslop/events"
	"manualslop/projections"
)

// UndoAnswer is the outcome of an undo.
type UndoAnswer struct {
	Status string             `json:"status"` // restored
	Call   string             `json:"call"`   // the call that carried it out; undo it to redo
	Files  []events.FileState `json:"files"`
	Branch string             `json:"branch,omitempty"` // of the session, if the work was merged before
}

// SpawnAnswer is the answer of POST /api/mma/workers/spawn.
type SpawnAnswer struct {
	Status    string `json:"status"`     // ok; accepted if the conductor has not answered yet
	Ticket    string `json:"ticket"`     // the worker's
	WorkerUID string `json:"worker_uid"` // the same, as kill takes it
	Track     string `json:"track"`
	StreamID  string `json:"stream_id"` // of its text, in mma_streams
	RequestID string `json:"request_id,omitempty"`
	Joined    bool   `json:"joined"` // the worker existed before
	Hint      string `json:"hint,omitempty"`
}

// MutateAnswer is the answer of POST /api/mma/dag/mutate.
type MutateAnswer struct {
	Status  string                    `json:"status"`  // ok; accepted if the conductor has not answered yet
	Request string                    `json:"request"` // id of the event
	Ops     []events.GraphOp          `json:"ops"`     // the requested operations, in full
	Tickets []projections.TicketState `json:"tickets"` // the named tickets that exist, in their current state
	Hint    string                    `json:"hint,omitempty"`
}
