package projections

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"manualslop/events"
)

// Kinds of queue entries that are derived from events. Clients can push other kinds.
const (
	QueueAsk           = "ask"                // an ask of the gates tool, interrupted, trust, budget
	QueueAskReceived   = "ask_received"       // an ask of /api/ask
	QueueStepApproval  = "mma_step_approval"  // a round waits for approval
	QueueSpawnApproval = "mma_spawn_approval" // a start waits for approval
	QueuePlanApproval  = "mma_plan_approval"  // proposed tracks wait for acceptance
	QueueResponse      = "response"           // text of a model for a stream
	QueueRequestStart  = "request_start"      // a request was sent to a model
	QueueReplyReceived = "response_received"  // a model replied or failed
	QueueToolExecution = "tool_execution"     // a tool call started or ended
	QueueOverflow      = "overflow"           // entries before the next one were dropped
	QueueGUITaskFailed = "gui_task_failed"    // a task of POST /api/gui failed
)

// QueueEntry is an entry of the queue that GET /api/events drains.
type QueueEntry struct {
	Seq     uint64          `json:"seq"` // several entries may have the same sequence
	Type    string          `json:"type"`
	Time    time.Time       `json:"ts"`
	Payload json.RawMessage `json:"-"` // as pushed by a client
	Fields  *QueueFields    `json:"-"` // of a derived entry
}

// QueueFields is the payload of a derived entry; members that do not apply are
// unset.
type QueueFields struct {
	RequestID string          `json:"request_id,omitempty"` // ask_received
	Data      json.RawMessage `json:"data,omitempty"`       // ask_received
	Ask       string          `json:"ask,omitempty"`
	Gate      string          `json:"gate,omitempty"`
	Goal      string          `json:"goal,omitempty"` // mma_plan_approval
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
	Status    string          `json:"status,omitempty"` // such as started, done, failed
	Text      string          `json:"text,omitempty"`
	Usage     *events.Usage   `json:"usage,omitempty"`
	Dropped   int             `json:"dropped,omitempty"` // overflow: number of entries that the reader missed
	From      uint64          `json:"from,omitempty"`    // overflow: the first sequence that may be missing
	Through   uint64          `json:"through,omitempty"` // overflow: the last sequence that is missing
}

// MarshalJSON returns the entry with its payload. Its kind is in both type and event_type, because
// clients of the original system use either one; an ask of /api/ask also has request_id and data
// next to the payload.
func (q QueueEntry) MarshalJSON() ([]byte, error) {
	type plain QueueEntry
	out := struct {
		plain
		EventType string          `json:"event_type"`
		RequestID string          `json:"request_id,omitempty"`
		Data      json.RawMessage `json:"data,omitempty"`
		Payload   any             `json:"payload"`
	}{plain: plain(q), EventType: q.Type}
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

// storedQueueEntry is a QueueEntry in the form in which the state stores it.
type storedQueueEntry struct {
	Seq     uint64          `json:"seq"`
	Type    string          `json:"type"`
	Time    time.Time       `json:"time"`
	Payload json.RawMessage `json:"payload,omitempty"`
	Fields  *QueueFields    `json:"fields,omitempty"`
}

// pushed is the queue and the position of each client.
type pushed struct {
	Requests requests             `json:"requests"`
	Calls    calls                `json:"calls"`
	Entries  []storedQueueEntry   `json:"entries"`
	Bytes    int                  `json:"bytes"` // total size of the entries, by queueSize
	Lost     lostEntries          `json:"lost"`
	Drained  map[string]queueMark `json:"drained"`
	// PlanReview is whether proposed tracks wait for a user.
	PlanReview bool `json:"plan_review,omitempty"`
}

// queueMark is a position in the queue: a sequence, and the number of entries up to it, including
// dropped ones.
type queueMark struct {
	Seq   uint64 `json:"seq"`
	Count int    `json:"count"`
}

var queue = Fold[*pushed]{
	Name: "events", Version: 5,
	New: func() *pushed {
		return &pushed{Requests: requests{}, Calls: calls{}, Drained: map[string]queueMark{}}
	},
	Apply: (*pushed).apply,
	View: func(q *pushed) any {
		return struct {
			Events []QueueEntry `json:"events"`
		}{q.since(q.Drained[""])}
	},
}

// since returns the entries after a mark, preceded by an overflow entry if some were dropped.
func (q *pushed) since(m queueMark) []QueueEntry {
	from := q.upTo(m.Seq)
	out := make([]QueueEntry, 0, len(q.Entries)-from+1)
	if m.Seq < q.Lost.Through {
		out = append(out, q.Lost.entry(m))
	}
	for _, e := range q.Entries[from:] {
		out = append(out, QueueEntry(e))
	}
	return out
}

// upTo returns how many of the kept entries are at or before a sequence.
func (q *pushed) upTo(seq uint64) int {
	n, _ := slices.BinarySearchFunc(q.Entries, seq+1, func(e storedQueueEntry, seq uint64) int {
		return cmp.Compare(e.Seq,
			seq)
	})
	return n
}

// Queue returns the entries that a client has not drained yet, oldest first; the empty client is
// the queue that all other clients share. If the client missed dropped entries, the first entry
// has kind QueueOverflow and their number.
func (s *Set) Queue(client string) []QueueEntry {
	q := stateOf(s, queue)
	return q.since(q.Drained[client])
}

// QueueSince returns the entries after a sequence, drained or not. If the first entry has kind
// QueueOverflow, its count is exact if seq is 0 or the position of some client; otherwise it is an
// upper bound.
func (s *Set) QueueSince(seq uint64) []QueueEntry {
	q := stateOf(s, queue)
	return q.since(q.mark(seq))
}

// QueuePosition returns the sequence up to which a client has drained the
// queue.
func (s *Set) QueuePosition(client string) uint64 { return stateOf(s, queue).Drained[client].Seq }

// QueueClients returns how many clients have drained the queue, and whether the given client is
// one of them.
func (s *Set) QueueClients(client string) (count int, known bool) {
	q := stateOf(s, queue)
	_, known = q.Drained[client]
	return len(q.Drained), known
}

func (q *pushed) apply(e *events.Event) *pushed {
	switch p := e.Payload.(type) {
	case events.EventPushed:
		q.put(storedQueueEntry{Seq: e.Seq, Type: p.Kind, Time: e.Time, Payload: p.Payload})
	case events.GUITaskFailed:
		if raw, err := json.Marshal(p); err == nil {
			q.put(storedQueueEntry{Seq: e.Seq, Type: QueueGUITaskFailed, Time: e.Time, Payload: raw})
		}
	case events.EventsDrained:
		if p.Through > q.Drained[p.Client].Seq {
			q.Drained[p.Client] = q.mark(p.Through)
		}
	case events.AskRaised:
		q.ask(e, &p)
	case events.SessionOpened:
		q.PlanReview = p.Settings.PlanReview
	case events.SettingsChanged:
		now, _ := events.Settings{PlanReview: q.PlanReview}.Changed(p)
		q.PlanReview = now.PlanReview
	case events.TracksProposed:
		if q.PlanReview {
			q.add(e, QueuePlanApproval, QueueFields{Goal: p.Goal, Title: count(len(p.Tracks), "track") + " proposed",
				Status: "waiting"})
		}
	case events.ModelRequested:
		r := q.Requests.asked(e, &p)
		q.add(e, QueueRequestStart, QueueFields{StreamID: r.Stream, Tier: r.Tier, Provider: r.Provider, Model: r.Model,
			Ticket: r.Ticket, Round: r.Round, Status: "started"})
	case events.ModelReplied:
		q.replied(e, &p)
	case events.ModelFailed:
		if r, counts := q.Requests.answered(p.Request); counts {
			q.add(e, QueueReplyReceived, QueueFields{StreamID: r.Stream, Tier: r.Tier, Provider: r.Provider, Model: r.Model,
				Ticket: r.Ticket, Status: p.Kind, Text: p.Message, Usage: p.Usage})
		}
	case events.ModelDenied:
		if r, counts := q.Requests.answered(p.Request); counts {
			q.add(e, QueueReplyReceived, QueueFields{StreamID: r.Stream, Tier: r.Tier, Provider: r.Provider, Model: r.Model,
				Ticket: r.Ticket, Status: events.ModelOverBudget, Text: p.Reason})
		}
	default:
		q.call(e)
	}
	return q
}

func (q *pushed) add(e *events.Event, kind string, f QueueFields) {
	q.put(storedQueueEntry{Seq: e.Seq, Type: kind, Time: e.Time, Fields: &f})
}

func (q *pushed) ask(e *events.Event, p *events.AskRaised) {
	f := QueueFields{Ask: p.Ask, Gate: p.Gate, Title: p.Title, Ticket: p.Ticket, Call: p.Call, Tool: p.Tool,
		Attempt: p.Attempt, Round: p.Round}
	kind := QueueAsk
	switch p.Gate {
	case events.GateHTTP:
		kind, f.RequestID, f.Data = QueueAskReceived, p.Ask, p.Args
	case events.GateStep:
		kind = QueueStepApproval
	case events.GateSpawn:
		kind = QueueSpawnApproval
	}
	q.add(e, kind, f)
}

func (q *pushed) replied(e *events.Event, p *events.ModelReplied) {
	r, counts := q.Requests.answered(p.Request)
	if !counts {
		return
	}
	usage := p.Usage
	q.add(e, QueueReplyReceived, QueueFields{StreamID: r.Stream, Tier: r.Tier, Provider: r.Provider, Model: r.Model,
		Ticket: r.Ticket, Round: r.Round, Status: p.Finish, Usage: &usage})
	if p.Text != "" {
		q.add(e, QueueResponse, QueueFields{StreamID: r.Stream, Tier: r.Tier, Ticket: r.Ticket, Status: "done", Text: p.Text})
	}
}

func (q *pushed) call(e *events.Event) {
	k, counts := q.Calls.take(e)
	if !counts {
		return
	}
	switch p := e.Payload.(type) {
	case events.ToolApproved:
		q.add(e, QueueToolExecution, QueueFields{Call: p.Call, Tool: k.Tool, Ticket: k.Ticket, Round: k.Round,
			Status: "started"})
	case events.ToolSettled:
		q.add(e, QueueToolExecution, QueueFields{Call: p.Call, Tool: k.Tool, Ticket: k.Ticket, Round: k.Round,
			Status: p.Outcome})
	case events.ToolDenied:
		q.add(e, QueueToolExecution, QueueFields{Call: p.Call, Tool: k.Tool, Ticket: k.Ticket, Round: k.Round,
			Status: outcomeDenied})
	}
}

// Limits of the queue of one session. Entries are kept even if they were drained, because a batch
// can be read again by its position and a client may appear at any time; the oldest entries that
// exceed the limits are dropped.
const (
	// MaxQueueEntries limits the number of kept entries.
	MaxQueueEntries = 10_000
	// MaxQueueBytes limits the size of their payloads; the entries of the newest sequence are
	// always kept.
	MaxQueueBytes = 8 << 20
	// MaxQueueClients limits how many clients can have a position of their own.
	MaxQueueClients = 1024
)

// lostEntries describes the dropped entries.
type lostEntries struct {
	Count   int       `json:"count"`
	Through uint64    `json:"through"` // 0 if nothing was dropped
	Time    time.Time `json:"time"`    // of the newest dropped entry
}

// entry returns the overflow entry for a client at a mark.
func (l lostEntries) entry(m queueMark) QueueEntry {
	return QueueEntry{Seq: l.Through, Type: QueueOverflow, Time: l.Time,
		Fields: &QueueFields{Dropped: l.Count - m.Count, From: m.Seq + 1, Through: l.Through}}
}

// put appends an entry and drops the oldest ones that exceed the limits. Entries of one sequence
// are dropped together, because a position cannot lie between them.
func (q *pushed) put(e storedQueueEntry) {
	q.Entries = append(q.Entries, e)
	q.Bytes += queueSize(e)
	gone := 0
	for len(q.Entries)-gone > MaxQueueEntries || q.Bytes > MaxQueueBytes {
		seq := q.Entries[gone].Seq
		if seq == e.Seq {
			break
		}
		for q.Entries[gone].Seq == seq {
			q.Bytes -= queueSize(q.Entries[gone])
			gone++
		}
	}
	if gone == 0 {
		return
	}
	last := q.Entries[gone-1]
	q.Lost = lostEntries{Count: q.Lost.Count + gone, Through: last.Seq, Time: last.Time}
	clear(q.Entries[:gone])
	q.Entries = q.Entries[gone:]
}

// queueSize returns the approximate size of an entry in bytes.
func queueSize(e storedQueueEntry) int {
	size := len(e.Type) + len(e.Payload)
	if f := e.Fields; f != nil {
		size += len(f.Data) + len(f.Text) + len(f.Title)
	}
	return size
}

// mark returns the mark for a sequence. For dropped entries only the positions of clients are
// known.
func (q *pushed) mark(seq uint64) queueMark {
	if seq >= q.Lost.Through {
		return queueMark{seq, q.Lost.Count + q.upTo(seq)}
	}
	count := 0
	// order-independent: only the maximum is used
	for _, m := range q.Drained {
		if m.Seq <= seq {
			count = max(count, m.Count)
		}
	}
	return queueMark{seq, count}
}
