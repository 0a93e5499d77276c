package approval

import (
	"encoding/json"
	"fmt"
	"strings"

	"manualslop/events"
	"manualslop/events/chars"
	"manualslop/tiers"
)

// maxNamedFiles limits how many files a text for people lists.
const maxNamedFiles = 3

// prepared records the workspace of an attempt. The work of earlier attempts at the ticket is kept
// in their workspaces but never merged.
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

// mergeRequested records the merge whose outcome is expected next.
func (s *State) mergeRequested(p events.MergeRequested) {
	s.merges[p.Ticket] = p
}

// mergeSettled asks a user about work that could not be merged. After
// [tiers.MaxSameMerges] attempts without a change the conductor blocks the
// ticket instead.
func (s *State) mergeSettled(e *events.Event, p events.MergeSettled) {
	r, open := s.merges[p.Ticket]
	if !open || r.Attempt != p.Attempt || r.Try != p.Try {
		return
	}
	delete(s.merges, p.Ticket)
	if p.Outcome == events.MergeDone {
		delete(s.tries, p.Ticket)
		s.landed[r.Name] = e.Seq
		return
	}
	s.tries[p.Ticket] = s.tries[p.Ticket].Then(p)
	if s.closed || s.tries[p.Ticket].Stuck() {
		return
	}
	s.raise(e, events.AskRaised{Gate: events.GateMerge, Title: mergeTitle(p), Ticket: p.Ticket, Attempt: p.Attempt,
		Round: p.Try,
		Args:  mergeArgs(p), Note: mergeNote(p)})
}

func mergeTitle(p events.MergeSettled) string {
	if p.Outcome != events.MergeConflict {
		return "the work of " + p.Ticket + " could not be merged"
	}
	return "the work of " + p.Ticket + " conflicts in " + named(p.Files)
}

// named returns the first few files as text.
func named(files []string) string {
	names := strings.Join(files[:min(len(files), maxNamedFiles)], ", ")
	if more := len(files) - maxNamedFiles; more > 0 {
		names += fmt.Sprintf(" and %d more", more)
	}
	return tiers.Clip(names, MaxReason)
}

func mergeNote(p events.MergeSettled) string {
	detail := tiers.Clip(p.Detail, MaxReason)
	where := tiers.Clip(p.Path, MaxReason)
	no := "no: the ticket is blocked, and its work stays in " + where + "; slop retry " + p.Ticket +
		" then begins it anew from what is merged"
	if p.Outcome != events.MergeConflict {
		return detail + ". yes: try again; " + no
	}
	whole := ""
	if len(p.Unmarked) > 0 {
		whole = "Without marks, because they hold one side whole: " + named(p.Unmarked) + ". "
	}
	return chars.Trim(detail + " Both sides stand between marks in the files under " + where + ". " + whole +
		`Mend them there, then yes: what stands in them is merged; or yes with {"take":{"FILE":"ticket"}} to take a side of a file as it is ("ticket", "merged", or "file" for what stands there; "*" is all others); ` + no)
}

// mergeSubject is the subject of the ask in a form for programs, and the part of it that an answer
// may edit: only Take is used.
type mergeSubject struct {
	Path     string            `json:"path"`
	Branch   string            `json:"branch"`
	Files    []string          `json:"files"`
	Unmarked []string          `json:"unmarked,omitempty"`
	Take     map[string]string `json:"take,omitempty"`
}

func mergeArgs(p events.MergeSettled) json.RawMessage {
	b, err := json.Marshal(mergeSubject{Path: p.Path, Branch: p.Branch, Files: p.Files, Unmarked: p.Unmarked})
	if err != nil {
		panic("approval: " + err.Error()) // strings cannot fail
	}
	return b
}

// badTake checks a user's resolution of files in conflict.
func badTake(args json.RawMessage) string {
	if len(args) > MaxTake {
		return tooLong("what to take", len(args), MaxTake)
	}
	if take := takeOf(args); len(take) == 0 || !events.ValidTake(take) {
		return fmt.Sprintf(`args must be {"take": {"FILE": "ticket"}}, "merged" or "file", for at most %d files`,
			events.MaxMergeFiles)
	}
	return ""
}

// takeOf returns a user's resolution of files in conflict; empty if there is none.
func takeOf(args json.RawMessage) map[string]string {
	var v mergeSubject
	if len(args) > 0 {
		read(args, &v)
	}
	return v.Take
}

// settleMerge passes on the user's decision; anything but an approval gives up.
func (s *State) settleMerge(a *ask, out events.AskSettled) {
	s.owe(events.MergeAnswered{Ticket: a.ticket, Attempt: a.attempt, Try: a.round, Retry: out.Outcome == events.Yes,
		By: out.By, Reason: tiers.Clip(out.Reason, MaxReason), Ask: out.Ask, Take: takeOf(out.Args)})
}
