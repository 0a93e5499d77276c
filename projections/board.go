package projections

import (
	"cmp"
	"slices"
	"time"

	"manualslop/events"
)

// board folds tracks and tickets with their current states.
type board struct {
	PlanReview bool              `json:"plan_review,omitempty"`
	Proposed   []*boardTrack     `json:"proposed,omitempty"` // wait for a user to accept them
	Tracks     []*boardTrack     `json:"tracks,omitempty"`
	Active     string            `json:"active,omitempty"` // id of the most recently started track
	Talks      map[string]string `json:"talks,omitempty"`  // attached discussions, by goal, request and ticket
	tickets    map[string]*place // the ticket to which an id refers
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
	Ticket    events.Ticket `json:"ticket"` // with its current status
	BlockKind string        `json:"block_kind,omitempty"`
	Attempt   int           `json:"attempt,omitempty"`
	Model     string        `json:"model,omitempty"`
	Started   *time.Time    `json:"started,omitempty"` // of the newest attempt
	Ended     *time.Time    `json:"ended,omitempty"`
	// Second means that another ticket already had this id. The conductor starts none of the
	// tickets in its plan, and events with that id refer to the other ticket.
	Second bool `json:"second,omitempty"`
}

// place is the position of a ticket on the board.
type place struct {
	track  *boardTrack
	ticket *boardTicket
}

func newBoard() board { return board{tickets: map[string]*place{}} }

// UnmarshalJSON decodes a board and rebuilds its index.
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
	case events.TalkAttached:
		if b.Talks == nil {
			b.Talks = map[string]string{}
		}
		b.Talks[p.To], b.Talks[events.WorkerTicket(p.To)] = p.Discussion, p.Discussion
	default:
		now, _ := events.Settings{PlanReview: b.PlanReview}.Changed(e.Payload)
		b.PlanReview = now.PlanReview
		b.applyTicket(e)
	}
}

// propose adds tier 1's plan to the board, or keeps it for review by a user. It replaces tracks
// of the same goal that were not started.
func (b *board) propose(p events.TracksProposed) {
	b.withdraw(p.Goal)
	for _, t := range p.Tracks {
		b.Proposed = append(b.Proposed, &boardTrack{Track: t, Goal: p.Goal, Status: events.StatusTodo})
	}
	if !b.PlanReview {
		b.accept(events.TracksAccepted{Goal: p.Goal})
	}
}

// accept adds proposed tracks to the board and drops the goal's other proposals.
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

// plan adds tier 2's tickets to their track; only the first plan of a track counts.
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

// enter adds a ticket to a track.
func (b *board) enter(tr *boardTrack, ticket events.Ticket) {
	t := &boardTicket{Ticket: ticket, Second: b.tickets[ticket.ID] != nil}
	tr.Tickets = append(tr.Tickets, t)
	if !t.Second {
		b.tickets[ticket.ID] = &place{tr, t}
	}
}

// applyTicket folds an event about a ticket. If the ticket was not planned, nothing changes.
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

// end records when a ticket ended; a ticket that never started has no end.
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

// extra adds a track without a goal, with its tickets. It becomes the active track unless another
// one is running.
func (b *board) extra(p events.TicketsAdded) {
	if active := b.track(b.Active); active == nil || active.Status != events.StatusInProgress {
		b.Active = p.Track.ID
	}
	b.Tracks = append(b.Tracks, &boardTrack{Track: p.Track, Status: events.StatusInProgress})
	b.plan(events.TicketsPlanned{Track: p.Track.ID, Tickets: p.Tickets})
}

// mutate applies a user's change to the graph. If it changes a blocked track, the conductor will
// decide again whether the track is blocked.
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

// TicketState is a ticket as clients see it: all fields are present, and null if not set.
type TicketState struct {
	ID                  string   `json:"id"`
	Description         string   `json:"description"`
	Status              string   `json:"status"` // current status: todo, in_progress, completed, blocked
	AssignedTo          string   `json:"assigned_to"`
	TargetFile          *string  `json:"target_file"`
	ContextRequirements []string `json:"context_requirements"`
	DependsOn           []string `json:"depends_on"`
	BlockedReason       *string  `json:"blocked_reason"`
	StepMode            bool     `json:"step_mode"`
	Priority            string   `json:"priority"`
	ModelOverride       *string  `json:"model_override"`
	PersonaID           *string  `json:"persona_id"`
	RetryCount          int      `json:"retry_count"`
}

// TrackState is a track as clients see it.
type TrackState struct {
	ID          string   `json:"id"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Status      string   `json:"status"` // todo, in_progress, completed, blocked
	Reason      *string  `json:"blocked_reason"`
	Goal        string   `json:"goal"` // id of its GoalSubmitted
	Modules     []string `json:"modules"`
	Severity    *string  `json:"severity"`
	Persona     *string  `json:"persona"`
	Acceptance  []string `json:"acceptance"`
	Tickets     int      `json:"ticket_count"`
	Completed   int      `json:"completed_count"`
}

func ticketState(t events.Ticket) TicketState {
	return TicketState{
		ID: t.ID, Description: t.Description, Status: t.Status, AssignedTo: t.AssignedTo, TargetFile: optional(t.TargetFile),
		ContextRequirements: list(t.ContextRequirements), DependsOn: list(t.DependsOn),
		BlockedReason: optional(t.BlockedReason),
		StepMode:      t.StepMode, Priority: t.Priority, ModelOverride: optional(t.ModelOverride),
		PersonaID:  optional(t.PersonaID),
		RetryCount: t.RetryCount,
	}
}

func ticketStates(tickets []*boardTicket) []TicketState {
	out := make([]TicketState, len(tickets))
	for i, t := range tickets {
		out[i] = ticketState(t.Ticket)
	}
	return out
}

func trackStates(tracks []*boardTrack) []TrackState {
	out := make([]TrackState, len(tracks))
	for i, t := range tracks {
		out[i] = TrackState{
			ID: t.Track.ID, Title: t.Track.Title, Description: t.Track.Description, Status: t.Status, Reason: optional(t.Reason),
			Goal: t.Goal, Modules: list(t.Track.Modules), Severity: optional(t.Track.Severity),
			Persona:    optional(t.Track.Persona),
			Acceptance: list(t.Track.Acceptance), Tickets: len(t.Tickets),
		}
		for _, ticket := range t.Tickets {
			if ticket.Ticket.Status == events.StatusCompleted {
				out[i].Completed++
			}
		}
	}
	return out
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}

// TicketRow is a ticket with the state of its work.
type TicketRow struct {
	TicketState
	Track     string     `json:"track"`
	BlockKind string     `json:"block_kind,omitempty"` // kind of block, which decides who can undo it
	Attempt   int        `json:"attempt"`              // the newest; 0 before the first
	Model     string     `json:"model,omitempty"`
	Started   *time.Time `json:"started,omitempty"` // of the newest attempt
	Ended     *time.Time `json:"ended,omitempty"`
	// Discussion is the newest one that a user attached to the ticket or to its goal.
	Discussion string `json:"discussion,omitempty"`
}

var tickets = Fold[*board]{
	Name: "tickets", Version: 4,
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
				Discussion: cmp.Or(b.Talks[t.Ticket.ID], b.Talks[tr.Goal]),
			})
		}
	}
	return rows
}

// Tickets returns the tickets of all tracks in planned order, track by track.
func (s *Set) Tickets() []TicketRow { return stateOf(s, tickets).rows() }

// Ticket returns a ticket by id.
func (s *Set) Ticket(id string) (TicketState, bool) {
	t := stateOf(s, tickets).ticket(id)
	if t == nil {
		return TicketState{}, false
	}
	return ticketState(t.Ticket), true
}

// Tracks returns the tracks, in the order in which they were planned.
func (s *Set) Tracks() []TrackState { return trackStates(stateOf(s, tickets).Tracks) }

// MaxPast limits the attempts and the notes that are kept of a ticket; older ones are only counted.
const MaxPast = 20

// TicketPast is what happened to a ticket until now, oldest first.
type TicketPast struct {
	Attempts []Attempt    `json:"attempts"`
	Notes    []TicketNote `json:"notes"`
	Earlier  int          `json:"earlier_notes"` // that are no longer listed
}

// AttemptGivenUp is the status of an attempt that another one followed without a block.
const AttemptGivenUp = "given_up"

// Attempt is an attempt at a ticket.
type Attempt struct {
	Attempt int        `json:"attempt"` // from 1
	Model   string     `json:"model,omitempty"`
	Started time.Time  `json:"started"`
	Ended   *time.Time `json:"ended,omitempty"`
	Status  string     `json:"status"`           // in_progress, completed, blocked, given_up, stopped with its session
	Reason  string     `json:"reason,omitempty"` // why it is blocked, was given up or stopped
}

// TicketNote is a note of a user to the model that works on a ticket.
type TicketNote struct {
	By   string    `json:"by"`
	At   time.Time `json:"at"`
	Note string    `json:"note"` // the beginning of its first line
}

var ticketPasts = Fold[map[string]*TicketPast]{
	Name: "ticket_pasts", Version: 2,
	Takes: ofTheWork,
	New:   func() map[string]*TicketPast { return map[string]*TicketPast{} },
	Apply: foldPast,
}

func foldPast(pasts map[string]*TicketPast, e *events.Event) map[string]*TicketPast {
	of := func(ticket string) *TicketPast {
		if pasts[ticket] == nil {
			pasts[ticket] = &TicketPast{Attempts: []Attempt{}, Notes: []TicketNote{}}
		}
		return pasts[ticket]
	}
	end := func(ticket, status, reason string) {
		past := of(ticket)
		if n := len(past.Attempts); n > 0 && past.Attempts[n-1].Ended == nil {
			at, last := e.Time, &past.Attempts[n-1]
			last.Ended, last.Status, last.Reason = &at, status, head(reason)
		}
	}
	switch p := e.Payload.(type) {
	case events.TicketStarted:
		end(p.Ticket.ID, AttemptGivenUp, "")
		past := of(p.Ticket.ID)
		past.Attempts = append(past.Attempts, Attempt{Attempt: p.Attempt, Model: p.Model, Started: e.Time,
			Status: events.StatusInProgress})
		past.Attempts = past.Attempts[max(0, len(past.Attempts)-MaxPast):]
	case events.TicketCompleted:
		end(p.Ticket, events.StatusCompleted, "")
	case events.TicketBlocked:
		end(p.Ticket, events.StatusBlocked, p.Reason)
	case events.TicketRetried: // also by the engine, without a block
		end(p.Ticket, AttemptGivenUp, p.Reason)
	case events.SessionClosed:
		// order-independent: each ticket has its own attempts
		for ticket := range pasts {
			end(ticket, WorkerStopped, p.Reason)
		}
	case events.TicketNoted:
		past := of(p.Ticket)
		past.Notes = append(past.Notes, TicketNote{p.By, e.Time, head(p.Note)})
		if len(past.Notes) > MaxPast {
			past.Notes = past.Notes[1:]
			past.Earlier++
		}
	}
	return pasts
}

// TicketPast returns what happened to a ticket. It is shared and must not be modified.
func (s *Set) TicketPast(ticket string) TicketPast {
	if past := stateOf(s, ticketPasts)[ticket]; past != nil {
		return *past
	}
	return TicketPast{Attempts: []Attempt{}, Notes: []TicketNote{}}
}
