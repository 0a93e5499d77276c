package projections

import "manualslop/events"

// applyTicket folds what happens to a ticket. A fact about a ticket that is
// not planned changes nothing.
func (b *board) applyTicket(e *events.Event) {
	switch p := e.Payload.(type) {
	case events.TicketStarted:
		b.startTicket(e, &p)
	case events.TicketCompleted:
		if t := b.end(e, p.Ticket); t != nil {
			t.Ticket.Status, t.Ticket.BlockedReason, t.BlockKind = events.StatusCompleted, "", ""
		}
	case events.TicketBlocked:
		if t := b.end(e, p.Ticket); t != nil {
			t.Ticket.Status, t.Ticket.BlockedReason, t.BlockKind = events.StatusBlocked, p.Reason, p.Kind
		}
	case events.TicketUnblocked:
		if t := b.ticket(p.Ticket); t != nil {
			t.reopen()
		}
	case events.TicketRetried:
		if t := b.ticket(p.Ticket); t != nil {
			t.reopen()
			t.Ticket.RetryCount = p.RetryCount
		}
	}
}

func (b *board) ticket(id string) *boardTicket {
	if at := b.tickets[id]; at != nil {
		return at.ticket
	}
	return nil
}

func (b *board) startTicket(e *events.Event, p *events.TicketStarted) {
	at := b.tickets[p.Ticket.ID]
	if at == nil {
		return
	}
	t, begun := at.ticket, e.Time
	t.Ticket = p.Ticket
	t.Ticket.Status, t.Ticket.BlockedReason = events.StatusInProgress, ""
	t.BlockKind, t.Attempt, t.Model, t.Started, t.Ended = "", p.Attempt, p.Model, &begun, nil
	at.track.Status, at.track.Reason = events.StatusInProgress, ""
}

// end notes when a ticket came to rest; one that never started has no end.
func (b *board) end(e *events.Event, id string) *boardTicket {
	t := b.ticket(id)
	if t != nil && t.Started != nil && t.Ended == nil {
		at := e.Time
		t.Ended = &at
	}
	return t
}

func (t *boardTicket) reopen() {
	t.Ticket.Status, t.Ticket.BlockedReason, t.BlockKind = events.StatusTodo, "", ""
}
