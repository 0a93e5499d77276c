package conductor

import (
	"path"
	"strings"

	"manualslop/events"
)

// worktrees reports whether each attempt works in its own worktree.
func (s *State) worktrees() bool { return s.settings.Isolation == events.IsolationWorktree }

// shared tells whether files that tickets change in one folder are kept apart.
func (s *State) shared() bool { return s.settings.Isolation == events.IsolationShared }

// target is the file that a ticket is about in one spelling; empty where it names none.
func (t *ticket) target() string {
	if t.TargetFile == "" {
		return ""
	}
	return path.Clean(strings.ReplaceAll(t.TargetFile, `\`, "/"))
}

// occupy keeps who is at work on which file.
func (s *State) occupy(t *ticket) {
	switch file := t.target(); {
	case file == "":
	case t.phase.usesSlot():
		s.targets[file] = t
	case s.targets[file] == t:
		delete(s.targets, file)
	}
}

// overlap is the ticket at work that a ready one would meet, and the file; nil
// if there is none.
func (s *State) overlap(t *ticket) (*ticket, string) {
	if !s.shared() && !s.worktrees() {
		return nil, ""
	}
	if other := s.targets[t.target()]; other != nil {
		return other, t.target()
	}
	if b := t.behind; b != nil && b.phase.usesSlot() && s.shared() {
		return b, t.closed
	}
	return nil, ""
}

// fileHeld notes that a running ticket was refused a file that another one
// changes: its next attempt starts when the other's has ended.
func (s *State) fileHeld(x events.ToolDenied) {
	t, other := s.tickets[x.Ticket], s.tickets[x.HeldBy]
	if t != nil && other != nil && t != other && t.phase == running && other.phase.usesSlot() {
		t.behind, t.closed = other, brief(x.File)
	}
}

// ungated tells whether tickets start without an answer of approval.
func (s *State) ungated() bool {
	return !s.settings.SpawnApproval && s.basis.Decision(events.ActorConductor) >= 2
}

// spawn asks to start the first ready ticket that may, while there is a free
// slot. One that is about a file at work waits, or is at least spoken of. What
// waits holds nothing, so no two tickets can wait for each other.
func (s *State) spawn() events.Payload {
	if s.paused || s.busy >= max(s.settings.MaxWorkers, 1) {
		return nil
	}
	for _, t := range s.ready {
		other, file := s.overlap(t)
		if other != nil && !t.warned {
			return events.OverlapWarned{Tickets: []string{other.ID, t.ID}, Path: file, Waits: s.shared()}
		}
		if other == nil || !s.shared() {
			return events.SpawnRequested{Ticket: t.ID, Attempt: t.attempt + 1, Model: s.model(t), Prompt: t.brief(),
				Ungated: s.ungated()}
		}
	}
	return nil
}
