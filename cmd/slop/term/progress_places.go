package term

import (
	"fmt"

	"manualslop/events"
	"manualslop/projections"
)

// merged stands for the session's branch among the places of its tickets.
const merged = ""

// places tells where the work of tickets lies that have worktrees of their own:
// folders by ticket, and the branch of what is merged.
type places map[string]string

// line takes an event about places and tells of it, if it is worth a line.
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

// left tells where the work of an attempt stays that was not merged.
func (p places) left(ticket string) string {
	if p[ticket] == "" {
		return ""
	}
	return "; its work stays in " + p[ticket]
}

// whole tells how a person gets what was merged.
func (p places) whole() string {
	if p[merged] == "" {
		return ""
	}
	return fmt.Sprintf("; the work is on the branch %s: git merge %s", p[merged], p[merged])
}
