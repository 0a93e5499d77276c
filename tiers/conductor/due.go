package conductor

import (
	"fmt"

	"manualslop/events"
)

// workerTier is the tier that works on tickets.
const workerTier = 3

// ticketDue returns the fact that is due for a ticket, if any.
func (s *State) ticketDue(t *ticket) events.Payload {
	switch t.phase {
	case todo:
		return t.todoDue()
	case approved, prepared:
		if !s.paused {
			return s.start(t)
		}
	case denied:
		return events.TicketBlocked{Ticket: t.ID, Kind: because(t.kind, events.BlockDenied), Reason: because(t.verdict,
			"its start was denied")}
	case finished:
		return t.reviewDue()
	case resolved:
		return events.TicketCompleted{Ticket: t.ID}
	case gaveUp:
		return s.gaveUpDue(t)
	case blocked:
		if t.kind == events.BlockDependency && t.blockedDeps == 0 {
			return events.TicketUnblocked{Ticket: t.ID}
		}
	}
	return nil
}

func (t *ticket) todoDue() events.Payload {
	if d := t.blocker(); d != nil {
		return events.TicketBlocked{Ticket: t.ID, Kind: events.BlockDependency, Reason: dependsOnBlocked(d)}
	}
	if t.openDeps == 0 {
		return events.TicketReady{Ticket: t.ID}
	}
	return nil
}

func dependsOnBlocked(d *ticket) string { return fmt.Sprintf("depends on %s, which is blocked", d.ID) }

// start starts an attempt. If it needs a workspace of its own, that is requested first.
func (s *State) start(t *ticket) events.Payload {
	if t.phase == approved && s.worktrees() {
		return events.WorkspaceRequested{Ticket: t.ID, Attempt: t.attempt, Name: events.WorkspaceName(t.ID, t.attempt)}
	}
	now := t.Ticket
	now.Status = events.StatusInProgress
	return events.TicketStarted{
		Track: t.track.ID, Ticket: now, Attempt: t.attempt, Model: s.model(t),
		Prompt: because(t.prompt, t.brief()), Files: t.files, Workspace: t.workspace,
	}
}

// trackDue returns the fact that is due for a track, if any. Nothing may be due for its tickets.
func trackDue(tr *track) events.Payload {
	switch {
	case tr.completed, tr.blocked:
	case tr.fault != "":
		return events.TrackBlocked{Track: tr.ID, Reason: tr.fault}
	case tr.planned && tr.open == 0:
		return events.TrackCompleted{Track: tr.ID}
	case tr.planned && tr.stuck():
		return events.TrackBlocked{Track: tr.ID, Reason: tr.whyStuck()}
	}
	return nil
}

// goalDue returns the fact that is due for a goal, if any. Nothing may be due for its tracks.
func goalDue(g *goal) events.Payload {
	switch {
	case g.stage == planning && g.fault != "":
		return events.GoalFailed{Goal: g.id, Reason: g.fault}
	case g.stage != underway:
		return nil
	case g.solo && g.current == nil:
		return g.soloDue()
	case g.current == nil || g.current.completed:
		if g.next < len(g.tracks) {
			return events.TrackStarted{Goal: g.id, Track: g.tracks[g.next]}
		}
		return events.GoalCompleted{Goal: g.id}
	case g.current.blocked && !g.failed:
		return events.GoalFailed{Goal: g.id, Reason: fmt.Sprintf("track %s is blocked: %s", g.current.ID,
			g.current.whyBlocked())}
	}
	return nil
}

// because returns s, or otherwise if s is empty.
func because(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
