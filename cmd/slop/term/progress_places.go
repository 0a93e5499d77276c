package term

import (
	"fmt"

	"manualslop/events"
	"manualslop/projections"
)

// merged is the key of the session's branch among the places of its tickets.
const merged = ""

// places holds the locations of the work of tickets with worktrees: folders by ticket, and the branch of merged work.
type places map[string]string

// line applies an event about locations and returns its line, if it has one.
func (p places) line(event events.Payload) string {
	switch x := event.(type) {
	case events.OverlapWarned:
		return projections.Summarize(x)
	case events.WorkspacePrepared:
		if p[x.Ticket] = x.Path; x.Note != "" {
			return "note: " + x.Note
		}
	case events.MergeSettled:
		if x.Outcome != events.MergeDone {
			return x.Ticket + ": " + projections.Summarize(x)
		}
		delete(p, x.Ticket)
		p[merged] = x.Branch
		return x.Ticket + " is " + projections.Summarize(x)
	}
	return ""
}

// left returns where the unmerged work of an attempt remains.
func (p places) left(ticket string) string {
	if p[ticket] == "" {
		return ""
	}
	return "; its work stays in " + p[ticket]
}

// whole returns how to get the merged work.
func (p places) whole() string {
	if p[merged] == "" {
		return ""
	}
	return fmt.Sprintf("; the work is on the branch %s: git merge %s", p[merged], p[merged])
}
