package projections

import (
	"time"

	"manualslop/events"
)

// Limits of what is kept about workers.
const (
	// MaxFinishedWorkers limits the inactive workers that are kept; older ones are only counted.
	MaxFinishedWorkers = 32
	// MaxWorkerTail limits the kept end of a worker's text, in bytes.
	MaxWorkerTail = 4 << 10
	// MaxWorkerTrace limits how many of the newest steps of a worker are kept.
	MaxWorkerTrace = 24
)

// Worker is one sub-agent: the worker of a ticket, or a tier that is working on a plan or a failed
// call.
type Worker struct {
	UID  string `json:"worker_uid"` // for tier 3 its ticket; kill takes this id
	Tier int    `json:"tier"`
	Role string `json:"role"` // orchestrator, tech lead, contributor, qa
	// waiting, starting or running; if inactive: completed, removed, stopped, failed, or the kind
	// of block
	Status    string       `json:"status"`
	WaitsFor  string       `json:"waits_for"`  // person, model, tool or slot; empty if nothing
	Task      string       `json:"task"`       // first line of its task
	Goal      string       `json:"goal"`       // id
	Track     string       `json:"track"`      // id
	Ticket    string       `json:"ticket"`     // id
	Call      string       `json:"call"`       // tier 4: the failed call
	Provider  string       `json:"provider"`   // of the newest request
	Model     string       `json:"model"`      // of the newest request
	Attempt   int          `json:"attempt"`    // number of the attempt at the ticket, from 1
	Round     int          `json:"round"`      // counted from 1
	StreamID  string       `json:"stream_id"`  // the stream of its text, in mma_streams
	TextTail  string       `json:"text_tail"`  // the end of the text of this attempt
	TextBytes int          `json:"text_bytes"` // size of the complete text
	Request   string       `json:"request"`    // the open model request; empty if none
	Calls     []WorkerCall `json:"calls"`      // tool calls in progress
	Asks      []WorkerAsk  `json:"asks"`       // open asks
	Trace     []WorkerStep `json:"trace"`      // newest last
	Steps     int          `json:"steps"`      // total number; the oldest are not in trace
	StartedAt *time.Time   `json:"started_at"` // start of this attempt
	EndedAt   *time.Time   `json:"ended_at"`
	Reason    string       `json:"reason"` // why it is inactive
	Usage     Usage        `json:"usage"`  // of all attempts
}

// WorkerCall is a tool call in progress.
type WorkerCall struct {
	Call   string    `json:"call"`
	Tool   string    `json:"tool"`
	Status string    `json:"status"` // requested, running, parked, interrupted
	Since  time.Time `json:"since"`  // when it got this status
}

// WorkerAsk is an ask that a worker is waiting for.
type WorkerAsk struct {
	Ask   string    `json:"ask"`
	Gate  string    `json:"gate"`
	Title string    `json:"title"`
	Since time.Time `json:"since"`
}

// WorkerStep is one step of a worker.
type WorkerStep struct {
	Seq  uint64    `json:"seq"`
	At   time.Time `json:"at"`
	Type string    `json:"type"`
	Text string    `json:"text"`
}

// Workers holds the active workers, in the order in which they appeared, and the newest inactive
// ones.
type Workers struct {
	Active   []*Worker `json:"active"`
	Finished []*Worker `json:"finished"` // at most MaxFinishedWorkers, newest last
	Before   int       `json:"finished_before"`
}

// crew is the state from which Workers is made.
type crew struct {
	Workers
	Requests requests          `json:"requests"`
	Calls    calls             `json:"tool_calls"`
	Asks     map[string]string `json:"asks"` // workers of open asks, by ask
	byUID    map[string]*Worker
}

var workers = Fold[*crew]{
	Name: "workers", Version: 3,
	Takes: ofTheWork,
	New: func() *crew {
		return &crew{Workers: Workers{Active: []*Worker{}, Finished: []*Worker{}}, Requests: requests{}, Calls: calls{},
			Asks: map[string]string{}, byUID: map[string]*Worker{}}
	},
	Apply: (*crew).apply,
	View:  func(c *crew) any { return c.view() },
}

// UnmarshalJSON decodes a crew and rebuilds its index.
func (c *crew) UnmarshalJSON(raw []byte) error {
	type plain crew
	if err := events.Unmarshal(raw, (*plain)(c)); err != nil {
		return err
	}
	c.byUID = map[string]*Worker{}
	for _, list := range [][]*Worker{c.Active, c.Finished} {
		for _, w := range list {
			c.byUID[w.UID] = w
		}
	}
	return nil
}

// view adds what each worker is waiting for.
func (c *crew) view() Workers {
	out := Workers{Active: make([]*Worker, len(c.Active)), Finished: c.Finished, Before: c.Before}
	for i, w := range c.Active {
		shown := *w
		shown.WaitsFor = w.waitsFor()
		out.Active[i] = &shown
	}
	return out
}

func (w *Worker) waitsFor() string {
	switch {
	case len(w.Asks) > 0:
		return "person"
	case len(w.Calls) > 0:
		return "tool"
	case w.Request != "":
		return "model"
	case w.Status == workerWaiting:
		return "slot"
	}
	return ""
}

// Workers returns the sub-agents of the session. They are shared and must not
// be modified.
func (s *Set) Workers() Workers { return stateOf(s, workers).view() }

// uidOf returns the id of the worker to which a model request belongs.
func uidOf(q request) string {
	switch q.Tier {
	case 1:
		return "tier1:" + q.Goal
	case 2:
		return "tier2:" + q.Track
	case 4:
		return "tier4:" + q.Call
	}
	return q.Ticket
}

func roleOf(tier int) string {
	if tier < 1 || tier > 4 {
		return ""
	}
	return [...]string{"orchestrator", "tech lead", "contributor", "qa"}[tier-1]
}

// add adds a step to a worker.
func (w *Worker) add(e *events.Event) {
	if len(w.Trace) >= MaxWorkerTrace {
		w.Trace = w.Trace[1:]
	}
	w.Trace = append(w.Trace, WorkerStep{e.Seq, e.Time, e.Type, Summarize(e.Payload)})
	w.Steps++
}

// say appends to the worker's text.
func (w *Worker) say(text string) {
	if text == "" {
		return
	}
	w.TextBytes += len(text)
	w.TextTail = tail(w.TextTail+text+"\n", MaxWorkerTail)
}

// Outcomes of a worker, in addition to the kinds of block.
const (
	// WorkerCompleted means that its ticket is completed.
	WorkerCompleted = "completed"
	// WorkerRemoved means that its ticket was removed from the graph.
	WorkerRemoved = "removed"
	// WorkerStopped means that the session was closed.
	WorkerStopped = "stopped"
	// WorkerRefused means that the conductor refused to add a ticket for the worker.
	WorkerRefused = "refused"
)

// MaxRefusedWorkers limits how many refused requests are kept; older ones are forgotten.
const MaxRefusedWorkers = 64

// Spawned is a worker that a user requested, and its outcome.
type Spawned struct {
	Ticket    string     `json:"ticket"`
	Track     string     `json:"track"`
	RequestID string     `json:"request_id,omitempty"`
	SHA256    string     `json:"sha256"`   // digest of the request
	Seq       uint64     `json:"seq"`      // of the request
	At        time.Time  `json:"at"`       // of the request
	Accepted  bool       `json:"accepted"` // the conductor has added the ticket
	Provider  string     `json:"provider,omitempty"`
	Model     string     `json:"model,omitempty"`     // of the newest request to a model
	StreamID  string     `json:"stream_id,omitempty"` // the stream of its text
	Round     int        `json:"round,omitempty"`
	Ended     *time.Time `json:"ended,omitempty"`   // nil until it has ended
	Outcome   string     `json:"outcome,omitempty"` // completed, removed, stopped, refused, or a kind of block
	Reason    string     `json:"reason,omitempty"`
}

// spawnedBook holds all workers that were requested.
type spawnedBook struct {
	Tickets map[string]*Spawned `json:"tickets"`
	Names   map[string]string   `json:"names"`             // tickets by request id
	Refused []string            `json:"refused,omitempty"` // tickets, oldest first
	Closed  *time.Time          `json:"closed,omitempty"`
}

var spawned = Fold[*spawnedBook]{
	Name: "spawned", Version: 2,
	Takes: ofTheWork,
	New:   func() *spawnedBook { return &spawnedBook{Tickets: map[string]*Spawned{}, Names: map[string]string{}} },
	Apply: (*spawnedBook).apply,
}

func (b *spawnedBook) apply(e *events.Event) *spawnedBook {
	switch p := e.Payload.(type) {
	case events.WorkerSpawnRequested:
		b.asked(e, p)
	case events.TicketsAdded:
		for _, t := range p.Tickets {
			if w := b.Tickets[t.ID]; w != nil {
				w.Accepted = true
			}
		}
	case events.ControlRefused:
		b.refused(e, p)
	case events.ModelRequested:
		if w := b.Tickets[p.Ticket]; w != nil && p.Tier == 3 {
			w.Provider, w.Model, w.StreamID, w.Round = p.Provider, p.Model, p.StreamID, p.Round
		}
	case events.TicketCompleted:
		b.end(e, p.Ticket, WorkerCompleted, "")
	case events.TicketBlocked:
		b.end(e, p.Ticket, p.Kind, p.Reason)
	case events.TicketUnblocked:
		b.revive(p.Ticket)
	case events.TicketRetried:
		b.revive(p.Ticket)
	case events.GraphMutated:
		for _, op := range p.Ops {
			if op.Op == events.GraphRemoveTicket {
				b.end(e, op.Ticket, WorkerRemoved, "removed by "+p.By)
			}
		}
	case events.SessionClosed:
		if b.Closed == nil { // the first one counts
			at := e.Time
			b.Closed = &at
		}
	}
	return b
}

func (b *spawnedBook) asked(e *events.Event, p events.WorkerSpawnRequested) {
	ticket := events.WorkerTicket(e.ID)
	if b.Tickets[ticket] != nil || b.Closed != nil {
		return
	}
	b.Tickets[ticket] = &Spawned{
		Ticket: ticket, Track: events.WorkerTrack(ticket), RequestID: p.RequestID, SHA256: p.Digest(), Seq: e.Seq, At: e.Time,
	}
	if p.RequestID != "" && b.Names[p.RequestID] == "" {
		b.Names[p.RequestID] = ticket
	}
}

// refused ends a worker whose request was refused. Its request id can be used again.
func (b *spawnedBook) refused(e *events.Event, p events.ControlRefused) {
	ticket := events.WorkerTicket(p.Request)
	w := b.Tickets[ticket]
	if w == nil || w.Accepted || w.Ended != nil || p.Kind != (events.WorkerSpawnRequested{}).EventType().Name {
		return
	}
	b.end(e, ticket, WorkerRefused, p.Reason)
	if b.Names[w.RequestID] == ticket {
		delete(b.Names, w.RequestID)
	}
	b.Refused = append(b.Refused, ticket)
	if len(b.Refused) > MaxRefusedWorkers {
		delete(b.Tickets, b.Refused[0])
		b.Refused = append([]string{}, b.Refused[1:]...)
	}
}

func (b *spawnedBook) end(e *events.Event, ticket, outcome, reason string) {
	if w := b.Tickets[ticket]; w != nil {
		at := e.Time
		w.Ended, w.Outcome, w.Reason = &at, outcome, reason
	}
}

func (b *spawnedBook) revive(ticket string) {
	if w := b.Tickets[ticket]; w != nil {
		w.Ended, w.Outcome, w.Reason = nil, "", ""
	}
}

// find returns the worker of a ticket. A worker that had not ended when the session was closed
// ended then.
func (b *spawnedBook) find(ticket string) (Spawned, bool) {
	w := b.Tickets[ticket]
	if w == nil {
		return Spawned{}, false
	}
	out := *w
	if out.Ended == nil && b.Closed != nil {
		out.Ended, out.Outcome, out.Reason = b.Closed, WorkerStopped, "the session was closed"
	}
	return out, true
}

// Spawned returns the worker that a user requested, by its ticket.
func (s *Set) Spawned(ticket string) (Spawned, bool) { return stateOf(s, spawned).find(ticket) }

// SpawnedAs returns the worker that a user requested, by its request id.
func (s *Set) SpawnedAs(requestID string) (Spawned, bool) {
	b := stateOf(s, spawned)
	return b.find(b.Names[requestID])
}

// StreamReply returns the newest reply in a stream; empty if there is none.
func (s *Set) StreamReply(id string) string {
	st := stateOf(s, mmaStatus).Streams[id]
	if st == nil || len(st.Parts) == 0 {
		return ""
	}
	return st.Parts[len(st.Parts)-1]
}
