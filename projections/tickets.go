package projections

import (
	"time"

	"manualslop/events"
)

// TicketRow is a ticket with its work so far.
type TicketRow struct {
	TicketState
	Track     string     `json:"track"`
	BlockKind string     `json:"block_kind,omitempty"` // who may undo the block
	Attempt   int        `json:"attempt"`              // newest, 0 before the first
	Model     string     `json:"model,omitempty"`
	Started   *time.Time `json:"started,omitempty"` // newest attempt
	Ended     *time.Time `json:"ended,omitempty"`
}

var tickets = Fold[*board]{
	Name: "tickets", Version: 3,
	Takes: ofTheWork,
	New:   func() *board { b := newBoard(); return &b },
	Apply: func(b *board, e *events.Event) *board { b.apply(e); return b },
	View: func(b *board) any {
		return struct {
			Tickets []TicketRow `json:"tickets"`
		}{b.rows()}
	},
}

func (b *board) rows() []TicketRow {
	rows := []TicketRow{}
	for _, tr := range b.Tracks {
		for _, t := range tr.Tickets {
			rows = append(rows, TicketRow{
				TicketState: ticketState(t.Ticket), Track: tr.Track.ID, BlockKind: t.BlockKind, Attempt: t.Attempt,
				Model: t.Model, Started: t.Started, Ended: t.Ended,
			})
		}
	}
	return rows
}

// Tickets lists the tickets of all tracks as planned, track by track.
func (s *Set) Tickets() []TicketRow { return stateOf(s, tickets).rows() }

// Ticket finds a ticket by id.
func (s *Set) Ticket(id string) (TicketState, bool) {
	t := stateOf(s, tickets).ticket(id)
	if t == nil {
		return TicketState{}, false
	}
	return ticketState(t.Ticket), true
}
