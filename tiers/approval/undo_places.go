package approval

import (
	"fmt"
	"slices"
	"strings"

	"manualslop/events"
	"manualslop/events/policy/commands"
)

// placeOfWrites returns the only workspace that holds writes to undo. Workspaces in which all of
// them were already restored do not count.
func (s *State) placeOfWrites(p events.UndoRequested) (place string, err error) {
	var places []string
	for _, w := range s.writes {
		if at, _ := s.lies(w); s.undoes(p, w) && !slices.Contains(places, at) {
			places = append(places, at)
		}
	}
	if len(places) == 0 {
		return "", nil
	}
	left := places
	if len(places) > 1 {
		left = slices.DeleteFunc(slices.Clone(places), func(at string) bool { return s.isBack(p, at) })
	}
	switch len(left) {
	case 0:
		return places[0], nil
	case 1:
		return left[0], nil
	}
	return "", s.severalPlaces(p, left)
}

// isBack reports whether the files of a workspace already have their earlier content.
func (s *State) isBack(p events.UndoRequested, place string) bool {
	files, err := s.backwards(p, place)
	return err == nil && !slices.ContainsFunc(files, func(f restored) bool { return f.Before != f.After })
}

// maxCommands limits how many commands a refusal lists.
const maxCommands = 6

// severalPlaces returns an error that lists what to undo instead: first the unmerged work, which
// no merged work depends on, then the same request again.
func (s *State) severalPlaces(p events.UndoRequested, places []string) error {
	slices.SortStableFunc(places, func(a, b string) int {
		switch {
		case a == events.WorkspaceMerged:
			return 1
		case b == events.WorkspaceMerged:
			return -1
		}
		return 0
	})
	var names, steps []string
	for _, at := range places {
		names = append(names, nameOf(at))
	}
	for _, at := range places[:len(places)-1] {
		steps = append(steps, s.commandsFor(p, at)...)
	}
	if len(steps) > maxCommands {
		steps = append(steps[:maxCommands], "and so on")
	}
	again := fmt.Sprintf("slop undo --to %d", p.ToSeq)
	switch {
	case p.Path != "" && p.Ticket != "":
		again = "slop changes " + p.Ticket + " --undo " + commands.Quote(p.Path)
	case p.Path != "":
		again = "slop changes --undo " + commands.Quote(p.Path)
	case p.Ticket != "":
		again = "slop undo " + p.Ticket
	}
	return fmt.Errorf("what %s wrote lies in more than one workspace (%s); run first %s, then %s", p,
		strings.Join(names, ", "), strings.Join(steps, ", "), again)
}

// commandsFor returns the commands that undo the writes in one workspace: by ticket if all of the
// ticket's work is affected, else by call, newest first.
func (s *State) commandsFor(p events.UndoRequested, place string) []string {
	var words []string
	for _, w := range slices.Backward(s.writesAt(place)) {
		word := w.call
		if s.whole(p, w.ticket, place) {
			word = w.ticket
		}
		if s.undoes(p, w) && (word == w.ticket || w.tool != events.RestoreTool) &&
			!slices.Contains(words, "slop undo "+word) {
			words = append(words, "slop undo "+word)
		}
	}
	return words
}

// whole reports whether all of a ticket's work must be undone and is in one
// workspace.
func (s *State) whole(p events.UndoRequested, ticket, place string) bool {
	return p.Ticket == "" && ticket != "" && !slices.ContainsFunc(s.writes, func(w write) bool {
		at, _ := s.lies(w)
		return w.ticket == ticket && !s.stale[w.place] && (at != place || !s.undoes(p, w))
	})
}

func nameOf(place string) string {
	if place == "" {
		return "the project's folder"
	}
	return place
}
