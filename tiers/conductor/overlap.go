package conductor

import (
	"path"
	"strings"

	"manualslop/events"
)

// worktrees reports whether each attempt works in its own worktree.
func (s *State) worktrees() bool { return s.settings.Isolation == events.IsolationWorktree }

// shared reports whether all tickets work in one folder and must not change the same files.
func (s *State) shared() bool { return s.settings.Isolation == events.IsolationShared }

// target returns the cleaned path of a ticket's target file; empty if it has none.
func (t *ticket) target() string {
	if t.TargetFile == "" {
		return ""
	}
	return path.Clean(strings.ReplaceAll(t.TargetFile, `\`, "/"))
}

// occupy records which ticket is working on which file.
func (s *State) occupy(t *ticket) {
	switch file := t.target(); {
	case file == "":
	case t.phase.usesSlot():
		s.targets[file] = t
	case s.targets[file] == t:
		delete(s.targets, file)
	}
}

// overlap returns the running ticket with which a ready one would conflict, and the file; nil if
// there is none.
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

// fileHeld records that a running ticket was denied a file that another one changes: its next
// attempt starts only when the other's has ended.
func (s *State) fileHeld(x events.ToolDenied) {
	t, other := s.tickets[x.Ticket], s.tickets[x.HeldBy]
	if t != nil && other != nil && t != other && t.phase == running && other.phase.usesSlot() {
		t.behind, t.closed = other, brief(x.File)
	}
}

// ungated reports whether tickets start without approval.
func (s *State) ungated() bool {
	return !s.settings.SpawnApproval && s.basis.Decision(events.ActorConductor) >= 2
}

// files returns the files that a ticket whose start is asked about shows at the beginning: its
// target whole, and the others as the project sets it.
func (s *State) files(t *ticket) []string {
	if s.ungated() || s.basis.Decision(events.ActorConductor) < 3 {
		return nil
	}
	if t.TargetFile == "" {
		return t.ContextRequirements
	}
	return append([]string{t.TargetFile + ":" + events.ViewRaw}, t.ContextRequirements...)
}

// spawn requests the start of the first ready ticket that may start, while a slot is free. A
// ticket whose target file is being changed waits, or at least causes a warning. Waiting tickets
// lock nothing, so they cannot deadlock.
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
				Files: s.files(t), Ungated: s.ungated()}
		}
	}
	return nil
}
