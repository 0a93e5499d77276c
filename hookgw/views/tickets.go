package views

import (
	"strings"
	"time"

	"manualslop/events"
	"manualslop/hookgw/core"
	"manualslop/projections"
)

// Tickets is the answer of GET /api/tickets.
type Tickets struct {
	Tracks  []projections.TrackState `json:"tracks"`
	Tickets []Ticket                 `json:"tickets"` // in planned order, track by track
}

// Ticket is a ticket as shown in a list or a drawing.
type Ticket struct {
	projections.TicketRow
	// WaitsFor says in words what the ticket waits for: a user, tickets, a pause, a model; empty once it has ended.
	WaitsFor string `json:"waits_for"`
	Ask      string `json:"ask,omitempty"` // the open ask that it waits for
	// WaitedMS is how long its newest attempt has waited for a user's answers, in milliseconds. It does not include the
	// current wait, which began at WaitsSince.
	WaitedMS   int64      `json:"waited_ms"`
	WaitsSince *time.Time `json:"waits_since,omitempty"`
	projections.TicketPast
	Requests int      `json:"requests"` // to models
	Tokens   int64    `json:"tokens"`
	Actions  []string `json:"actions"` // of POST /api/control, as far as the states of ticket and session show
	// Layer and Place are where a drawing shows it: dependencies are in earlier layers.
	Layer int `json:"layer"`
	Place int `json:"place"`
}

func getTickets(c *core.Call) error {
	return show(c, func(s *projections.Set) (any, error) { return ticketsOf(s), nil })
}

func ticketsOf(s *projections.Set) Tickets {
	out := Tickets{Tracks: s.Tracks(), Tickets: []Ticket{}}
	why := reasons{states: map[string]string{}, asks: map[string]projections.Ask{},
		workers: map[string]*projections.Worker{}, paused: s.Settings().Paused,
		closed: s.Summary().Closed != nil}
	for _, a := range s.OpenAsks() {
		if _, older := why.asks[a.Ticket]; a.Ticket != "" && !older {
			why.asks[a.Ticket] = a
		}
	}
	for _, w := range s.Workers().Active {
		why.workers[w.UID] = w
	}
	rows, used := s.Tickets(), s.Cost().Ticket
	for _, t := range rows {
		why.states[t.ID] = t.Status
	}
	places, waits := arrange(rows), waitsOf(s, rows)
	for i, row := range rows {
		t := Ticket{TicketRow: row, WaitsFor: why.of(row), Ask: why.asks[row.ID].AskRaised.Ask, Actions: actions(row.Status),
			TicketPast: s.TicketPast(row.ID),
			Layer:      places[i].layer, Place: places[i].place}
		if n := len(t.Attempts); row.Status == events.StatusInProgress && n > 0 { // ended with its session
			t.Ended = t.Attempts[n-1].Ended
		}
		if why.closed {
			t.Actions = []string{}
		}
		if w := waits[row.ID]; w != nil {
			t.WaitedMS, t.WaitsSince = w.waited.Milliseconds(), w.since
		}
		if u := used[row.ID]; u != nil {
			t.Requests, t.Tokens = u.Requests+u.Failed, u.Input+u.CacheRead+u.CacheWrite+u.Output
		}
		out.Tickets = append(out.Tickets, t)
	}
	return out
}

// wait is how long the newest attempt at a ticket waited for answers. Waits at the same time count once.
type wait struct {
	waited time.Duration
	until  time.Time // the start of the attempt, or the end of the counted waits
	since  *time.Time
}

// waitsOf returns the waits by ticket, of those that have started.
func waitsOf(s *projections.Set, rows []projections.TicketRow) map[string]*wait {
	out := map[string]*wait{}
	for _, t := range rows {
		if t.Started != nil {
			out[t.ID] = &wait{until: *t.Started}
		}
	}
	for _, a := range s.Asks() {
		w := out[a.Ticket]
		if w == nil {
			continue
		}
		from := a.RaisedAt
		if from.Before(w.until) {
			from = w.until
		}
		switch {
		case w.since != nil:
		case a.Settled == nil:
			w.since = &from
		case a.Settled.At.After(from):
			w.waited += a.Settled.At.Sub(from)
			w.until = a.Settled.At
		}
	}
	return out
}

// actions returns the actions of POST /api/control that the conductor does not reject because of the state alone.
func actions(status string) []string {
	switch status {
	case events.StatusTodo:
		return []string{"note", "block"}
	case events.StatusInProgress:
		return []string{"note", "kill"}
	case events.StatusBlocked:
		return []string{"note", "retry", "unblock"}
	}
	return []string{}
}

// reasons holds the data that explains why a ticket waits.
type reasons struct {
	states  map[string]string          // of the tickets
	asks    map[string]projections.Ask // the oldest open one, by ticket
	workers map[string]*projections.Worker
	paused  bool
	closed  bool // the session
}

func (r *reasons) of(t projections.TicketRow) string {
	if ask, waits := r.asks[t.ID]; waits {
		return "you: " + ask.Title
	}
	switch t.Status {
	case events.StatusBlocked:
		reason := ""
		if t.BlockedReason != nil {
			reason = *t.BlockedReason
		}
		return "you: it is blocked (" + t.BlockKind + "): " + reason
	case events.StatusInProgress:
		if w := r.workers[t.ID]; w != nil && w.WaitsFor != "" {
			return "the " + w.WaitsFor
		}
	case events.StatusTodo:
		if !r.closed {
			return r.notBegun(t)
		}
	}
	return ""
}

func (r *reasons) notBegun(t projections.TicketRow) string {
	var open []string
	for _, id := range t.DependsOn {
		switch state, known := r.states[id]; {
		case !known:
			open = append(open, id+" (which does not exist)")
		case state != events.StatusCompleted:
			open = append(open, id+" ("+strings.ReplaceAll(state, "_", " ")+")")
		}
	}
	switch {
	case len(open) > 0:
		return strings.Join(open, ", ")
	case r.paused:
		return "the end of the pause"
	}
	return "a worker or its track"
}
