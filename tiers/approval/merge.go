package approval

import (
	"encoding/json"
	"fmt"
	"strings"

	"manualslop/events"
	"manualslop/tiers"
)

// maxNamedFiles bounds the files that a title names.
const maxNamedFiles = 3

// prepared notes where an attempt works. The work of earlier ones of its ticket
// stays where it is and never becomes part of the project.
func (s *State) prepared(p events.WorkspacePrepared) {
	s.places[p.Name] = p.Path
	if p.Error != "" {
		return
	}
	if old := s.newest[p.Ticket]; old != "" && old != p.Name {
		s.stale[old] = true
	}
	s.newest[p.Ticket] = p.Name
}

// mergeRequested notes which merge may be answered next.
func (s *State) mergeRequested(p events.MergeRequested) {
	s.merges[p.Ticket] = p
}

// mergeSettled asks a person about work that could not be merged.
func (s *State) mergeSettled(e *events.Event, p events.MergeSettled) {
	r, open := s.merges[p.Ticket]
	if !open || r.Attempt != p.Attempt || r.Try != p.Try {
		return
	}
	delete(s.merges, p.Ticket)
	if p.Outcome == events.MergeDone {
		s.landed[r.Name] = e.Seq
		return
	}
	s.raise(e, events.AskRaised{Gate: events.GateMerge, Title: mergeTitle(p), Ticket: p.Ticket, Attempt: p.Attempt, Round: p.Try,
		Args: mergeArgs(p), Note: mergeNote(p)})
}

func mergeTitle(p events.MergeSettled) string {
	if p.Outcome != events.MergeConflict {
		return "the work of " + p.Ticket + " could not be merged"
	}
	names := strings.Join(p.Files[:min(len(p.Files), maxNamedFiles)], ", ")
	if more := len(p.Files) - maxNamedFiles; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	return "the work of " + p.Ticket + " conflicts in " + names
}

func mergeNote(p events.MergeSettled) string {
	detail := tiers.Clip(p.Detail, MaxReason)
	where := tiers.Clip(p.Path, MaxReason)
	no := "no: the ticket is blocked, and its work stays in " + where
	if p.Outcome != events.MergeConflict {
		return detail + ". yes: try again; " + no
	}
	return strings.TrimSpace(detail + " Both sides stand between marks in the files under " + where + ". Mend them there, then yes: what stands in them is merged; " + no)
}

// mergeArgs is what the question is about, for programs.
func mergeArgs(p events.MergeSettled) json.RawMessage {
	b, err := json.Marshal(struct {
		Path   string   `json:"path"`
		Branch string   `json:"branch"`
		Files  []string `json:"files"`
	}{p.Path, p.Branch, p.Files})
	if err != nil {
		panic("approval: " + err.Error()) // strings
	}
	return b
}

// settleMerge passes on the person's word; whatever is not a yes gives up.
func (s *State) settleMerge(a *ask, out events.AskSettled) {
	s.owe(events.MergeAnswered{Ticket: a.ticket, Attempt: a.attempt, Try: a.round, Retry: out.Outcome == events.Yes,
		By: out.By, Reason: tiers.Clip(out.Reason, MaxReason), Ask: out.Ask})
}
