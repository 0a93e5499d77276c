package projections

import (
	"encoding/json"
	"slices"
	"time"

	"manualslop/events"
)

// Kinds of queue entries that derive from facts. Clients push others.
const (
	QueueAsk           = "ask"                // a question of the gates tool, interrupted, trust, budget
	QueueAskReceived   = "ask_received"       // a question of /api/ask
	QueueStepApproval  = "mma_step_approval"  // a round waits for a yes
	QueueSpawnApproval = "mma_spawn_approval" // a start waits for a yes
	QueueResponse      = "response"           // a model's text for a stream
	QueueRequestStart  = "request_start"      // a model was asked
	QueueReplyReceived = "response_received"  // a model answered or failed
	QueueToolExecution = "tool_execution"     // a tool began or ended
	QueueGUITaskFailed = "gui_task_failed"    // a task of POST /api/gui did not do what it asked
)

// QueueEntry is an entry of the queue that GET /api/events drains.
type QueueEntry struct {
	Seq     uint64          `json:"seq"` // several entries may share one
	Type    string          `json:"type"`
	Time    time.Time       `json:"ts"`
	Payload json.RawMessage `json:"-"` // as a client pushed it
	Fields  *QueueFields    `json:"-"` // of a derived entry
}

// QueueFields is the payload of a derived entry; what does not apply is unset.
type QueueFields struct {
	RequestID string          `json:"request_id,omitempty"` // ask_received
	Data      json.RawMessage `json:"data,omitempty"`       // ask_received
	Ask       string          `json:"ask,omitempty"`
	Gate      string          `json:"gate,omitempty"`
	Title     string          `json:"title,omitempty"`
	Ticket    string          `json:"ticket,omitempty"`
	Call      string          `json:"call,omitempty"`
	Tool      string          `json:"tool,omitempty"`
	Attempt   int             `json:"attempt,omitempty"`
	Round     int             `json:"round,omitempty"`
	StreamID  string          `json:"stream_id,omitempty"`
	Tier      int             `json:"tier,omitempty"`
	Provider  string          `json:"provider,omitempty"`
	Model     string          `json:"model,omitempty"`
	Status    string          `json:"status,omitempty"` // started, done, failed …
	Text      string          `json:"text,omitempty"`
	Usage     *events.Usage   `json:"usage,omitempty"`
}

// MarshalJSON writes the entry with its payload. An ask of /api/ask carries
// request_id and data beside the payload too, where clients of the original
// look for them.
func (q QueueEntry) MarshalJSON() ([]byte, error) {
	type plain QueueEntry
	out := struct {
		plain
		RequestID string          `json:"request_id,omitempty"`
		Data      json.RawMessage `json:"data,omitempty"`
		Payload   any             `json:"payload"`
	}{plain: plain(q)}
	switch {
	case q.Fields != nil:
		out.Payload = q.Fields
		if q.Type == QueueAskReceived {
			out.RequestID, out.Data = q.Fields.RequestID, q.Fields.Data
		}
	case q.Payload != nil:
		out.Payload = q.Payload
	}
	return json.Marshal(out)
}

// storedQueueEntry is QueueEntry as a state keeps it.
type storedQueueEntry struct {
	Seq     uint64          `json:"seq"`
	Type    string          `json:"type"`
	Time    time.Time       `json:"time"`
	Payload json.RawMessage `json:"payload,omitempty"`
	Fields  *QueueFields    `json:"fields,omitempty"`
}

// pushed is the whole queue and how far each client drained it.
type pushed struct {
	Requests requests           `json:"requests"`
	Calls    calls              `json:"calls"`
	Entries  []storedQueueEntry `json:"entries"`
	Drained  map[string]uint64  `json:"drained"`
}

var queue = Fold[*pushed]{
	Name: "events", Version: 2,
	New:   func() *pushed { return &pushed{Requests: requests{}, Calls: calls{}, Drained: map[string]uint64{}} },
	Apply: (*pushed).apply,
	View: func(q *pushed) any {
		return struct {
			Events []QueueEntry `json:"events"`
		}{q.since(q.Drained[""])}
	},
}

func (q *pushed) since(seq uint64) []QueueEntry {
	from, _ := slices.BinarySearchFunc(q.Entries, seq+1, func(e storedQueueEntry, seq uint64) int {
		switch {
		case e.Seq < seq:
			return -1
		case e.Seq > seq:
			return 1
		}
		return 0
	})
	out := make([]QueueEntry, len(q.Entries)-from)
	for i, e := range q.Entries[from:] {
		out[i] = QueueEntry(e)
	}
	return out
}

// Queue lists what a client has not drained yet, oldest first; the empty
// client is the queue that all others share.
func (s *Set) Queue(client string) []QueueEntry {
	q := stateOf(s, queue)
	return q.since(q.Drained[client])
}

// QueueSince lists the entries after a sequence, drained or not.
func (s *Set) QueueSince(seq uint64) []QueueEntry { return stateOf(s, queue).since(seq) }

// QueuePosition is the sequence up to which a client has drained the queue.
func (s *Set) QueuePosition(client string) uint64 { return stateOf(s, queue).Drained[client] }
