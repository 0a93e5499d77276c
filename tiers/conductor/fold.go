package conductor

import (
	"fmt"

	"manualslop/events"
	"manualslop/events/chars"
	"manualslop/tiers"
)

// fold folds events of other actors.
func (s *State) fold(e *events.Event) {
	s.basis, _ = s.basis.Changed(e.Payload)
	switch x := e.Payload.(type) {
	case events.SessionOpened:
		s.settings = x.Settings
	case events.SessionClosed:
		s.closed = true
	case events.GoalSubmitted:
		s.submitted(e.ID, x)
	case events.TracksProposed:
		s.proposed(x)
	case events.PlanSkipped:
		if g := s.goals[x.Goal]; g != nil && g.stage == planning && g.fault == "" {
			s.goSolo(g)
		}
	case events.TracksAccepted:
		s.accepted(e, x)
	case events.PlanningFailed:
		s.planningFailed(x)
	case events.TicketsPlanned:
		s.plan(x)
	case events.SpawnApproved:
		s.spawnApproved(x)
	case events.SpawnDenied:
		if t := s.attempt(x.Ticket, x.Attempt, spawning); t != nil {
			t.verdict = brief(x.Reason)
			s.move(t, denied)
		}
	case events.TurnRequested:
		if s.basis.Decision(events.ActorConductor) >= 3 {
			s.turns[events.TurnTicket(e.ID)] = true
		}
	case events.TurnEnded:
		delete(s.turns, x.Turn)
	case events.QuestionRequested:
		if t := s.attempt(x.Ticket, x.Attempt, running); t != nil {
			t.asking = tiers.QuestionLine(x.Text)
		}
	case events.QuestionAnswered:
		if t := s.attempt(x.Ticket, x.Attempt, running); t != nil && x.Answer != "" {
			t.note("to the question " + chars.Quote(t.asking) + ": " + x.Answer)
		}
	case events.TicketReviewed:
		s.ticketReviewed(x)
	case events.TicketResolved:
		s.ticketResolved(x)
	case events.ToolDenied:
		s.fileHeld(x)
	case events.WorkspacePrepared:
		s.workspacePrepared(x)
	case events.MergeSettled:
		s.mergeSettled(x)
	case events.MergeAnswered:
		s.mergeAnswered(x)
	case events.PauseRequested, events.ResumeRequested, events.KillRequested, events.RetryRequested,
		events.BlockRequested, events.UnblockRequested, events.NoteRequested,
		events.WorkerSpawnRequested, events.GraphMutationRequested:
		s.asked(e)
	default:
		s.settings, _ = s.settings.Changed(e.Payload)
	}
}

// submitted begins a goal: with its ticket if it needs no plan, else with tier 1.
func (s *State) submitted(id string, x events.GoalSubmitted) {
	g := &goal{id: id, text: x.Goal}
	s.goals[id] = g
	if x.Solo {
		s.goSolo(g)
	}
	if x.Track && !x.Solo {
		if reason := refuseTrack(x.Goal); reason != "" {
			g.fault = reason
		} else {
			g.tracks, g.stage = []events.Track{events.GoalTrack(id, x.Goal)}, underway
		}
		s.touchGoal(g)
	}
}

// refuseTrack returns why a text cannot be the description of a track, or "".
func refuseTrack(text string) string {
	switch {
	case chars.Trim(text) == "":
		return "the track has no description"
	case len(text) > events.MaxWorkerPrompt:
		return fmt.Sprintf("the track's description is %d bytes long, at most %d are allowed", len(text),
			events.MaxWorkerPrompt)
	}
	return ""
}

// goSolo begins a goal with its only ticket.
func (s *State) goSolo(g *goal) {
	g.solo, g.stage = true, underway
	s.touchGoal(g)
}

// asked stores a user's request that needs an answer.
func (s *State) asked(e *events.Event) {
	if events.IsPerson(e.Actor) {
		s.request = e
	}
}

func (s *State) proposed(x events.TracksProposed) {
	g := s.goals[x.Goal]
	if g == nil || g.stage != planning || g.fault != "" {
		return
	}
	g.tracks, g.stage = x.Tracks, underway
	if s.settings.PlanReview {
		g.stage = review
	}
	s.touchGoal(g)
}

// accepted lets a goal start with the tracks that a user chose, or requests a refusal.
func (s *State) accepted(e *events.Event, x events.TracksAccepted) {
	if !events.IsPerson(e.Actor) {
		return
	}
	if s.refuseAcceptance(x) != "" {
		s.asked(e)
		return
	}
	g := s.goals[x.Goal]
	g.tracks, g.stage = chosen(g.tracks, x.Tracks), underway
	s.touchGoal(g)
}

// refuseAcceptance returns why an acceptance is invalid, or "".
func (s *State) refuseAcceptance(x events.TracksAccepted) string {
	g := s.goals[x.Goal]
	switch {
	case g == nil:
		return "there is no such goal"
	case g.stage != review:
		return "no tracks of this goal wait for acceptance"
	}
	known := make(map[string]bool, len(g.tracks))
	for _, t := range g.tracks {
		known[t.ID] = true
	}
	for _, id := range x.Tracks {
		if !known[id] {
			return fmt.Sprintf("track %s was not proposed", brief(id))
		}
	}
	return ""
}

// chosen returns the tracks with the given ids in planned order; all tracks if no ids are given.
func chosen(tracks []events.Track, ids []string) []events.Track {
	if len(ids) == 0 {
		return tracks
	}
	wanted := make(map[string]bool, len(ids))
	for _, id := range ids {
		wanted[id] = true
	}
	var out []events.Track
	for _, t := range tracks {
		if wanted[t.ID] {
			out = append(out, t)
		}
	}
	return out
}

func (s *State) planningFailed(x events.PlanningFailed) {
	fault := fmt.Sprintf("tier %d made no usable plan (requests to the model: %d): %s", x.Tier, x.Attempts, brief(x.Error))
	if x.Tier == 1 {
		if g := s.goals[x.Goal]; g != nil && g.stage == planning {
			g.fault = fault
			s.touchGoal(g)
		}
		return
	}
	if tr := s.tracks[x.Track]; tr != nil && !tr.planned {
		tr.fault = fault
		s.touchTrack(tr)
	}
}

// attempt returns the ticket if exactly this attempt is in phase p, else nil.
func (s *State) attempt(id string, attempt int, p phase) *ticket {
	t := s.tickets[id]
	if t == nil || t.phase != p || t.attempt != attempt {
		return nil
	}
	return t
}

func (s *State) spawnApproved(x events.SpawnApproved) {
	t := s.attempt(x.Ticket, x.Attempt, spawning)
	if t == nil {
		return
	}
	t.prompt, t.files = x.Prompt, x.Files
	s.move(t, approved)
	if s.paused {
		s.held = append(s.held, t)
	}
}

func (s *State) ticketResolved(x events.TicketResolved) {
	t := s.attempt(x.Ticket, x.Attempt, running)
	if t == nil {
		return
	}
	switch {
	case x.Outcome == events.ResolvedDone && (s.settings.Review || x.Unchanged):
		t.said = x
		s.move(t, finished)
	case x.Outcome == events.ResolvedDone:
		s.done(t)
	default:
		t.verdict, t.final = brief(x.Reason), x.Final
		s.move(t, gaveUp)
	}
}

// done lets a ticket be completed, after a merge if it has its own workspace.
func (s *State) done(t *ticket) {
	if t.workspace != "" {
		s.queueMerge(t)
		return
	}
	s.move(t, resolved)
}
