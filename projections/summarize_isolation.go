package projections

import (
	"strings"

	"manualslop/events"
)

// summarizeIsolation tells of tickets that are kept apart, and of their work
// that comes together.
func summarizeIsolation(p events.Payload) string {
	switch x := p.(type) {
	case events.OverlapWarned:
		if x.Waits {
			return head(strings.Join(x.Tickets, " and ") + " are about " + x.Path + ": the second waits for the first")
		}
		return head(strings.Join(x.Tickets, " and ") + " are about " + x.Path + ": their work meets when it is merged")
	case events.WorkspacePrepared:
		if x.Error != "" {
			return head("cannot be made: " + x.Error)
		}
		return head(strings.TrimSuffix(x.Branch+"; "+x.Note, "; "))
	case events.MergeRequested:
		return head(x.Title)
	case events.MergeSettled:
		switch {
		case x.Outcome == events.MergeDone:
			return head(strings.TrimSuffix("merged into "+x.Branch+"; "+x.Detail, "; "))
		case len(x.Files) > 0:
			return head("conflict in " + strings.Join(x.Files, ", "))
		}
		return head(x.Outcome + ": " + x.Detail)
	case events.MergeAnswered:
		if x.Retry {
			return head("try again, by " + x.By)
		}
		return head("given up, by " + x.By)
	}
	return ""
}
