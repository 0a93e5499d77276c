package conductor

import (
	"fmt"

	"manualslop/events"
)

// answer returns the facts that answer a user's request: at least one.
func (s *State) answer(e *events.Event) []events.Payload {
	switch x := e.Payload.(type) {
	case events.PauseRequested:
		if s.paused {
			return refused(e, "", "the session is already paused")
		}
		return []events.Payload{events.Paused{By: e.Actor}}
	case events.ResumeRequested:
		if !s.paused {
			return refused(e, "", "the session is not paused")
		}
		return []events.Payload{events.Resumed{By: e.Actor}}
	case events.KillRequested:
		if s.turns[x.Ticket] {
			return []events.Payload{events.TicketKilled{Ticket: x.Ticket, Attempt: 1, By: e.Actor}}
		}
		return s.answerTicket(e, x.Ticket, s.kill)
	case events.RetryRequested:
		return s.answerTicket(e, x.Ticket, s.noting(x.Note, s.retry))
	case events.UnblockRequested:
		return s.answerTicket(e, x.Ticket, s.noting(x.Note, s.unblock))
	case events.NoteRequested:
		return s.answerTicket(e, x.Ticket, func(e *events.Event, t *ticket) ([]events.Payload, string) {
			return s.note(e, t, x.Note)
		})
	case events.BlockRequested:
		return s.answerTicket(e, x.Ticket, func(e *events.Event, t *ticket) ([]events.Payload, string) {
			return s.block(e, t, x.Reason)
		})
	case events.WorkerSpawnRequested:
		return s.addWorker(e, x)
	case events.GraphMutationRequested:
		return s.mutation(e, x)
	case events.TracksAccepted:
		return refused(e, "", s.refuseAcceptance(x))
	}
	return nil
}

// act changes a ticket at a user's request: it returns facts, or the reason for a refusal.
type act func(*events.Event, *ticket) ([]events.Payload, string)

// answerTicket finds the ticket and calls do.
func (s *State) answerTicket(e *events.Event, id string, do act) []events.Payload {
	t := s.tickets[id]
	if t == nil {
		return refused(e, id, "there is no such ticket")
	}
	facts, reason := do(e, t)
	if reason != "" {
		return refused(e, id, reason)
	}
	return facts
}

func refused(e *events.Event, id, reason string) []events.Payload {
	return []events.Payload{events.ControlRefused{Request: e.ID, Kind: e.Type, Ticket: brief(id), Reason: reason}}
}

// noting returns do with a note before its facts; the note may be empty.
func (s *State) noting(note string, do act) act {
	return func(e *events.Event, t *ticket) ([]events.Payload, string) {
		facts, reason := do(e, t)
		if note == "" || reason != "" {
			return facts, reason
		}
		noted, reason := s.note(e, t, note)
		return append(noted, facts...), reason
	}
}

func (s *State) note(e *events.Event, t *ticket, text string) ([]events.Payload, string) {
	err := events.CheckNote(text)
	switch {
	case s.basis.Decision(events.ActorConductor) < 3:
		return nil, "the session uses the decisions of an older program, which has no notes; slop sessions upgrade " +
			"switches it to this program's"
	case t.phase == completed:
		return nil, "it is completed"
	case err != nil:
		// our words: package events writes this text.
		return nil, err.Error()
	case t.noted >= events.MaxNotes:
		return nil, fmt.Sprintf("it has %d notes, which is the limit", events.MaxNotes)
	}
	return []events.Payload{events.TicketNoted{Ticket: t.ID, By: e.Actor, Note: text}}, ""
}

func (s *State) kill(e *events.Event, t *ticket) ([]events.Payload, string) {
	if t.phase != running && t.phase != reviewing {
		return nil, fmt.Sprintf("it is not running: it is %s", t.phase)
	}
	return []events.Payload{
		events.TicketKilled{Ticket: t.ID, Attempt: t.attempt, By: e.Actor},
		events.TicketBlocked{Ticket: t.ID, Kind: events.BlockKilled, Reason: "killed by " + e.Actor},
	}, ""
}

func (s *State) block(e *events.Event, t *ticket, reason string) ([]events.Payload, string) {
	if !t.phase.unstarted() {
		return nil, fmt.Sprintf("only a todo ticket can be blocked: it is %s", t.phase)
	}
	reason = brief(because(reason, "blocked by "+e.Actor))
	return []events.Payload{events.TicketBlocked{Ticket: t.ID, Kind: events.BlockManual, Reason: reason}}, ""
}

func (s *State) unblock(_ *events.Event, t *ticket) ([]events.Payload, string) {
	if reason := whyHeld(t); reason != "" {
		return nil, reason
	}
	return []events.Payload{events.TicketUnblocked{Ticket: t.ID}}, ""
}

func (s *State) retry(e *events.Event, t *ticket) ([]events.Payload, string) {
	if reason := whyHeld(t); reason != "" {
		return nil, reason
	}
	return []events.Payload{events.TicketRetried{Ticket: t.ID, RetryCount: t.RetryCount + 1, Reason: "retried by " +
		e.Actor}}, ""
}

// whyHeld returns why a user cannot set a ticket back to todo, or "".
func whyHeld(t *ticket) string {
	if t.phase != blocked {
		return fmt.Sprintf("it is not blocked: it is %s", t.phase)
	}
	if d := t.blocker(); d != nil {
		return "it " + dependsOnBlocked(d)
	}
	return ""
}
