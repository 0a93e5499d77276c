package projections

import (
	"time"

	"manualslop/events"
)

// Outcomes of a worker, in addition to the kinds of block.
const (
	// WorkerCompleted means that its ticket is completed.
	WorkerCompleted = "completed"
	// WorkerRemoved means that its ticket was removed from the graph.
	WorkerRemoved = "removed"
	// WorkerStopped means that the session was closed.
	WorkerStopped = "stopped"
	// WorkerRefused means that the conductor refused to add a ticket for it.
	WorkerRefused = "refused"
)

// MaxRefusedWorkers limits how many refused requests are kept; older ones are forgotten.
const MaxRefusedWorkers = 64

// Spawned is a worker that a person requested, and its outcome.
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

// Spawned returns the worker that a person requested, by its ticket.
func (s *Set) Spawned(ticket string) (Spawned, bool) { return stateOf(s, spawned).find(ticket) }

// SpawnedAs returns the worker that a person requested, by its request id.
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
