package projections

import (
	"slices"
	"time"

	"manualslop/events"
)

// board folds tracks and tickets with their live states.
type board struct {
	PlanReview bool              `json:"plan_review,omitempty"`
	Proposed   []*boardTrack     `json:"proposed,omitempty"` // wait for a person
	Tracks     []*boardTrack     `json:"tracks,omitempty"`
	Active     string            `json:"active,omitempty"` // the track started last
	tickets    map[string]*place // the ticket that an id means
}

// boardTrack is a track on the board.
type boardTrack struct {
	Track   events.Track   `json:"track"`
	Goal    string         `json:"goal"`
	Status  string         `json:"status"`
	Reason  string         `json:"reason,omitempty"`
	Tickets []*boardTicket `json:"tickets,omitempty"`
}

// boardTicket is a ticket on the board.
type boardTicket struct {
	Ticket    events.Ticket `json:"ticket"` // with its live state
	BlockKind string        `json:"block_kind,omitempty"`
	Attempt   int           `json:"attempt,omitempty"`
	Model     string        `json:"model,omitempty"`
	Started   *time.Time    `json:"started,omitempty"` // newest attempt
	Ended     *time.Time    `json:"ended,omitempty"`
	// Second says that its id was another ticket's already: the conductor starts
	// none of its plan, and what is said of that id is said of the other one.
	Second bool `json:"second,omitempty"`
}

// place is where a ticket stands.
type place struct {
	track  *boardTrack
	ticket *boardTicket
}

func newBoard() board { return board{tickets: map[string]*place{}} }

// UnmarshalJSON reads a board and rebuilds its index.
func (b *board) UnmarshalJSON(raw []byte) error {
	type plain board
	if err := events.Unmarshal(raw, (*plain)(b)); err != nil {
		return err
	}
	b.tickets = map[string]*place{}
	for _, tr := range b.Tracks {
		for _, t := range tr.Tickets {
			if !t.Second {
				b.tickets[t.Ticket.ID] = &place{tr, t}
			}
		}
	}
	return nil
}

func (b *board) apply(e *events.Event) {
	switch p := e.Payload.(type) {
	case events.SessionOpened:
		b.PlanReview = p.Settings.PlanReview
	case events.TracksProposed:
		b.propose(p)
	case events.TracksAccepted:
		b.accept(p)
	case events.TrackStarted:
		b.start(p)
	case events.TrackCompleted:
		b.mark(p.Track, events.StatusCompleted, "")
	case events.TrackBlocked:
		b.mark(p.Track, events.StatusBlocked, p.Reason)
	case events.GoalFailed:
		b.withdraw(p.Goal)
	case events.TicketsPlanned:
		b.plan(p)
	case events.TicketsAdded:
		b.extra(p)
	case events.GraphMutated:
		for _, op := range p.Ops {
			b.mutate(op)
		}
	default:
		now, _ := events.Settings{PlanReview: b.PlanReview}.Changed(e.Payload)
		b.PlanReview = now.PlanReview
		b.applyTicket(e)
	}
}

// propose takes tier 1's plan: onto the board, or to a person where plans are
// reviewed. A newer plan of the same goal replaces what was not started.
func (b *board) propose(p events.TracksProposed) {
	b.withdraw(p.Goal)
	for _, t := range p.Tracks {
		b.Proposed = append(b.Proposed, &boardTrack{Track: t, Goal: p.Goal, Status: events.StatusTodo})
	}
	if !b.PlanReview {
		b.accept(events.TracksAccepted{Goal: p.Goal})
	}
}

// accept moves proposed tracks onto the board; those of the goal that were not
// named are dropped.
func (b *board) accept(p events.TracksAccepted) {
	for _, t := range b.Proposed {
		if t.Goal == p.Goal && (len(p.Tracks) == 0 || slices.Contains(p.Tracks, t.Track.ID)) && b.track(t.Track.ID) == nil {
			b.Tracks = append(b.Tracks, t)
		}
	}
	b.withdraw(p.Goal)
}

func (b *board) withdraw(goal string) {
	b.Proposed = slices.DeleteFunc(b.Proposed, func(t *boardTrack) bool { return t.Goal == goal })
}

func (b *board) track(id string) *boardTrack {
	for i := len(b.Tracks) - 1; i >= 0; i-- {
		if b.Tracks[i].Track.ID == id {
			return b.Tracks[i]
		}
	}
	return nil
}

func (b *board) start(p events.TrackStarted) {
	b.Active = p.Track.ID
	tr := b.track(p.Track.ID)
	if tr == nil {
		tr = &boardTrack{}
		b.Tracks = append(b.Tracks, tr)
	}
	tr.Track, tr.Goal, tr.Status, tr.Reason = p.Track, p.Goal, events.StatusInProgress, ""
}

func (b *board) mark(id, status, reason string) {
	if tr := b.track(id); tr != nil {
		tr.Status, tr.Reason = status, reason
	}
}

// plan puts tier 2's tickets under their track, whose first plan counts.
func (b *board) plan(p events.TicketsPlanned) {
	tr := b.track(p.Track)
	if tr == nil || len(tr.Tickets) > 0 {
		return
	}
	tr.Tickets = make([]*boardTicket, 0, len(p.Tickets))
	for _, t := range p.Tickets {
		b.enter(tr, t)
	}
}

// enter puts a ticket under a track.
func (b *board) enter(tr *boardTrack, ticket events.Ticket) {
	t := &boardTicket{Ticket: ticket, Second: b.tickets[ticket.ID] != nil}
	tr.Tickets = append(tr.Tickets, t)
	if !t.Second {
		b.tickets[ticket.ID] = &place{tr, t}
	}
}
