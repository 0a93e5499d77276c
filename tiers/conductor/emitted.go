package conductor

import "manualslop/events"

// emitted folds the conductor's own facts.
func (s *State) emitted(e *events.Event) {
	s.request = nil
	switch x := e.Payload.(type) {
	case events.Paused:
		s.paused = true
	case events.Resumed:
		s.resumed()
	case events.TrackStarted:
		s.trackStarted(x)
	case events.TrackCompleted:
		tr := s.tracks[x.Track]
		tr.completed = true
		s.touchTrack(tr)
	case events.TrackBlocked:
		s.trackBlocked(s.tracks[x.Track])
	case events.GoalCompleted:
		s.goals[x.Goal].stage = over
	case events.GoalFailed:
		s.goalFailed(s.goals[x.Goal])
	case events.TicketsAdded:
		s.added(x)
	case events.GraphMutated:
		s.mutated(x)
	default:
		s.ticketEmitted(e)
	}
}

func (s *State) ticketEmitted(e *events.Event) {
	switch x := e.Payload.(type) {
	case events.TicketReady:
		s.revive(s.tickets[x.Ticket], ready)
	case events.OverlapWarned:
		s.tickets[x.EventCorr()].warned = true
	case events.SpawnRequested:
		t := s.tickets[x.Ticket]
		t.attempt, t.behind, t.workspace, t.try, t.resolves, t.take = x.Attempt, nil, "", 0, "", nil
		s.move(t, spawning)
		if x.Ungated {
			s.move(t, approved)
		}
	case events.WorkspaceRequested:
		t := s.tickets[x.Ticket]
		t.workspace = x.Name
		s.move(t, preparing)
	case events.MergeRequested:
		s.mergeRequested(x)
	case events.ReviewRequested:
		s.move(s.tickets[x.Ticket.ID], reviewing)
	case events.TicketStarted:
		s.move(s.tickets[x.Ticket.ID], running)
	case events.TicketCompleted:
		t := s.tickets[x.Ticket]
		t.Status = events.StatusCompleted
		s.move(t, completed)
	case events.TicketBlocked:
		t := s.tickets[x.Ticket]
		t.Status, t.kind, t.BlockedReason = events.StatusBlocked, x.Kind, x.Reason
		s.move(t, blocked)
	case events.TicketUnblocked:
		s.revive(s.tickets[x.Ticket], todo)
	case events.TicketNoted:
		t := s.tickets[x.Ticket]
		t.noted++
		t.note(x.Note)
	case events.TicketRetried:
		t := s.tickets[x.Ticket]
		t.RetryCount = x.RetryCount
		s.revive(t, todo)
	}
}

// revive makes a ticket active again; earlier facts about its blocked track and failed goal no
// longer hold.
func (s *State) revive(t *ticket, to phase) {
	t.Status, t.BlockedReason, t.kind, t.verdict, t.prompt, t.files, t.warned = events.StatusTodo, "", "", "", "", nil,
		false
	s.unblockTrack(t.track)
	s.move(t, to)
}

// unblockTrack cancels the facts that a track is blocked and its goal failed; if they are still
// true, they are emitted again.
func (s *State) unblockTrack(tr *track) {
	if !tr.blocked {
		return
	}
	tr.blocked = false
	if tr.goal != nil {
		tr.goal.failed = false
	}
}

// resumed lets tickets that were approved during the pause continue.
func (s *State) resumed() {
	s.paused = false
	for _, t := range s.held {
		s.touch(t)
	}
	s.held = s.held[:0]
}

func (s *State) trackStarted(x events.TrackStarted) {
	g := s.goals[x.Goal]
	tr := &track{Track: x.Track, goal: g}
	s.tracks[x.Track.ID] = tr
	g.current = tr
	g.next++
	s.touchTrack(tr)
}

// trackBlocked marks a track as blocked and also checks the tracks that waited for it.
func (s *State) trackBlocked(tr *track) {
	tr.blocked = true
	s.touchTrack(tr)
	for _, t := range tr.tickets {
		for _, d := range t.dependants {
			s.touchTrack(d.track)
		}
	}
}

func (s *State) goalFailed(g *goal) {
	g.failed = true
	if g.stage == planning || g.solo && g.current == nil {
		g.stage = over
	}
}
