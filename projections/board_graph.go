package projections

import (
	"slices"

	"manualslop/events"
)

// extra puts a track that no goal asked for onto the board, with its tickets.
// It is the active one unless another track is at work.
func (b *board) extra(p events.TicketsAdded) {
	if active := b.track(b.Active); active == nil || active.Status != events.StatusInProgress {
		b.Active = p.Track.ID
	}
	b.Tracks = append(b.Tracks, &boardTrack{Track: p.Track, Status: events.StatusInProgress})
	b.plan(events.TicketsPlanned{Track: p.Track.ID, Tickets: p.Tickets})
}

// mutate does what a person changed of the graph. Where it changes a blocked
// track, the conductor says anew whether it is blocked.
func (b *board) mutate(op events.GraphOp) {
	if op.Op == events.GraphAddTicket {
		if tr := b.track(op.Track); tr != nil && op.New != nil {
			b.enter(tr, *op.New)
		}
		return
	}
	at := b.tickets[op.Ticket]
	if at == nil {
		return
	}
	if op.Op == events.GraphRemoveTicket {
		at.track.Tickets = slices.DeleteFunc(at.track.Tickets, func(t *boardTicket) bool { return t == at.ticket })
		delete(b.tickets, op.Ticket)
		return
	}
	op.Change(&at.ticket.Ticket)
}
