package projections

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"manualslop/events"
)

// Summary is the information that a list of sessions shows about one.
type Summary struct {
	Session     string     `json:"session"`
	Label       string     `json:"label,omitempty"`
	Folder      string     `json:"folder"` // of its logs
	Workspace   string     `json:"workspace,omitempty"`
	Goal        string     `json:"goal,omitempty"` // text of the newest goal
	Opened      time.Time  `json:"opened"`
	Closed      *time.Time `json:"closed,omitempty"`
	CloseReason string     `json:"close_reason,omitempty"`
	Stalled     string     `json:"stalled,omitempty"` // why a decider stopped last
	State       string     `json:"state"`             // Idle, Planning, Executing, Done
	PendingAsks int        `json:"pending_asks"`
	Outcome     string     `json:"outcome,omitempty"` // of the newest goal: done or failed; empty while it is open
	Tickets     int        `json:"tickets"`           // planned, without those that were removed
	TicketsDone int        `json:"tickets_done"`
	// Blocked lists the blocked tickets, in the order in which they were blocked.
	Blocked []BlockedTicket `json:"blocked,omitempty"`
	// MicroDollars is what the models cost, in millionths of a dollar; with Unpriced, no price is known for a part.
	MicroDollars int64 `json:"micro_dollars"`
	Unpriced     bool  `json:"unpriced,omitempty"`
	Starred      bool  `json:"starred,omitempty"` // a user keeps the log files
	Pruned       bool  `json:"pruned,omitempty"`  // the log files were deleted
}

// BlockedTicket is a ticket that stays blocked until a person acts.
type BlockedTicket struct {
	Ticket string `json:"ticket"`
	Kind   string `json:"kind"`   // as in TicketBlocked
	Reason string `json:"reason"` // first line, at most MaxSummary bytes
}

// overview is a state that is small enough to be kept for every session of a log.
type overview struct {
	Summary Summary         `json:"summary"`
	Phase   phase           `json:"phase"`
	Asks    map[string]bool `json:"asks"` // open asks
	Goal    string          `json:"goal"` // event of the newest goal
}

var summary = Fold[*overview]{
	Name: "summary", Version: 7,
	Takes: ofTheWork,
	New: func() *overview {
		return &overview{Summary: Summary{State: Idle}, Phase: newPhase(), Asks: map[string]bool{}}
	},
	Apply: (*overview).apply,
	View:  func(o *overview) any { return o.Summary },
}

func (o *overview) apply(e *events.Event) *overview {
	o.Phase.apply(e)
	s := &o.Summary
	switch p := e.Payload.(type) {
	case events.SessionOpened:
		s.Session, s.Label, s.Folder, s.Workspace, s.Opened = e.Session, p.Label, p.Folder, p.Workspace, e.Time
	case events.SessionClosed:
		if s.Closed == nil { // the first one counts
			at := e.Time
			s.Closed, s.CloseReason = &at, p.Reason
		}
	case events.SessionStalled:
		s.Stalled = p.Decider + ": " + p.Reason
	case events.SessionResumed:
		if strings.HasPrefix(s.Stalled, p.Decider+": ") {
			s.Stalled = ""
		}
	case events.GoalSubmitted:
		s.Goal, s.Outcome, o.Goal = p.Goal, "", e.ID
	case events.GoalCompleted:
		o.ended(p.Goal, OutcomeDone)
	case events.GoalFailed:
		o.ended(p.Goal, OutcomeFailed)
	case events.TicketsPlanned:
		s.Tickets += len(p.Tickets)
	case events.TicketsAdded:
		s.Tickets += len(p.Tickets)
	case events.GraphMutated:
		s.Tickets += addedTickets(p)
		for _, op := range p.Ops {
			if op.Op == events.GraphRemoveTicket {
				o.freed(op.Ticket)
			}
		}
	case events.TicketBlocked:
		o.freed(p.Ticket)
		s.Blocked = append(s.Blocked, BlockedTicket{p.Ticket, p.Kind, head(p.Reason)})
	case events.TicketStarted:
		o.freed(p.Ticket.ID)
	case events.TicketUnblocked:
		o.freed(p.Ticket)
	case events.TicketRetried:
		o.freed(p.Ticket)
	case events.TicketCompleted:
		s.TicketsDone++
		o.freed(p.Ticket)
	case events.ModelReplied:
		o.costs(p.Usage, p.ScriptLine > 0)
	case events.ModelFailed:
		if p.Usage != nil {
			o.costs(*p.Usage, false)
		}
	case events.SessionStarred:
		s.Starred = p.On
	case events.LogsPruned:
		s.Pruned = true
	case events.LogsRestored:
		s.Pruned = false
	case events.AskRaised:
		o.Asks[p.Ask] = true
	case events.AskSettled:
		delete(o.Asks, p.Ask)
	}
	s.State, s.PendingAsks = o.Phase.State, len(o.Asks)
	return o
}

// Outcomes of a goal.
const (
	OutcomeDone   = "done"
	OutcomeFailed = "failed"
)

// ended notes the outcome of the newest goal.
func (o *overview) ended(goal, outcome string) {
	if goal == o.Goal {
		o.Summary.Outcome = outcome
	}
}

// freed removes a ticket from the blocked ones. Earlier summaries keep their list.
func (o *overview) freed(ticket string) {
	is := func(b BlockedTicket) bool { return b.Ticket == ticket }
	if slices.ContainsFunc(o.Summary.Blocked, is) {
		o.Summary.Blocked = slices.DeleteFunc(slices.Clone(o.Summary.Blocked), is)
	}
}

// costs adds what a model used; the scripted model costs nothing.
func (o *overview) costs(u events.Usage, scripted bool) {
	if u.PricedMicroDollars != nil {
		o.Summary.MicroDollars += *u.PricedMicroDollars
		return
	}
	o.Summary.Unpriced = o.Summary.Unpriced || !scripted && u.Prompt()+u.Output > 0
}

// addedTickets counts the tickets that a change of the graph added, less those that it removed.
func addedTickets(p events.GraphMutated) int {
	n := 0
	for _, op := range p.Ops {
		switch op.Op {
		case events.GraphAddTicket:
			n++
		case events.GraphRemoveTicket:
			n--
		}
	}
	return n
}

// Summarizes reports whether events of a type can change a [Summary]; others need not be decoded
// for it.
func Summarizes(typ string) bool { return summarized()[typ] }

var summarized = sync.OnceValue(func() map[string]bool {
	return events.Names(
		events.SessionOpened{}, events.SessionClosed{}, events.SessionStalled{}, events.SessionResumed{},
		events.GoalSubmitted{}, events.GoalCompleted{}, events.GoalFailed{}, events.TrackStarted{},
		events.TicketsPlanned{}, events.TicketStarted{}, events.AskRaised{}, events.AskSettled{},
		events.TicketsAdded{}, events.TrackCompleted{}, events.TrackBlocked{}, events.SessionStarred{},
		events.LogsPruned{}, events.LogsRestored{}, events.GraphMutated{}, events.TicketCompleted{}, events.ModelReplied{},
		events.ModelFailed{}, events.TicketBlocked{}, events.TicketUnblocked{}, events.TicketRetried{},
	)
})

// Summarizer folds only the Summary of one session. The zero value is a new session. If the fold
// panics, it stops: the summary no longer changes, reports that in Stalled, and is not stored.
type Summarizer struct {
	o       *overview
	stopped *StoppedError
}

// state returns the state so far, without changing anything.
func (s *Summarizer) state() *overview {
	if s.o == nil {
		return summary.New()
	}
	return s.o
}

// Apply folds one decoded event.
func (s *Summarizer) Apply(e *events.Event) {
	if s.stopped != nil {
		return
	}
	defer func() {
		if reason := recover(); reason != nil {
			s.stopped = stoppedAt(summary.Name, e, reason)
		}
	}()
	s.o = s.state().apply(e)
}

// Summary returns the summary of the events so far.
func (s *Summarizer) Summary() Summary {
	out := s.state().Summary
	if s.stopped != nil {
		out.Stalled = s.stopped.Error()
	}
	return out
}

// MarshalJSON returns the complete state and the version that made it.
func (s *Summarizer) MarshalJSON() ([]byte, error) {
	if s.stopped != nil {
		return nil, s.stopped
	}
	state, err := encode(summary.Name, s.state())
	if err != nil {
		return nil, err
	}
	return json.Marshal(ModelSnapshot{summary.Name, summary.Version, state})
}

// UnmarshalJSON decodes what MarshalJSON wrote. It returns ErrStale if another version wrote it.
func (s *Summarizer) UnmarshalJSON(raw []byte) error {
	var snap ModelSnapshot
	if err := json.Unmarshal(raw, &snap); err != nil {
		return err
	}
	if snap.Name != summary.Name || snap.Version != summary.Version {
		return fmt.Errorf("%w: %s version %d, want %s version %d", ErrStale, snap.Name, snap.Version, summary.Name,
			summary.Version)
	}
	m := &model[*overview]{fold: summary}
	if err := m.Restore(snap.State); err != nil {
		return fmt.Errorf("%w: %w", ErrStale, err)
	}
	s.o, s.stopped = m.state, nil
	return nil
}

// Summary returns the session's summary.
func (s *Set) Summary() Summary { return stateOf(s, summary).Summary }
