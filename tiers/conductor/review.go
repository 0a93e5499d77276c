package conductor

import (
	"strings"

	"manualslop/events"
	"manualslop/tiers"
)

// maxSaid limits how much of a contributor's final report a review reads, in bytes.
const maxSaid = 4 << 10

// note keeps what a user said to the ticket for its reviews.
func (t *ticket) note(text string) {
	t.notes = append(t.notes, text)
	t.notes = t.notes[max(0, len(t.notes)-events.MaxNotes):]
}

// reviewDue asks tier 2 to review the changes of an attempt.
func (t *ticket) reviewDue() events.Payload {
	now := t.Ticket
	if len(t.notes) > 0 {
		now.Description += "\n\n## Notes from the user\n\n- " + strings.Join(t.notes, "\n- ") + "\n"
	}
	return events.ReviewRequested{Track: t.track.ID, Ticket: now, Attempt: t.attempt, Text: tiers.Clip(t.said.Text,
		maxSaid),
		Changes: t.said.Changes, Workspace: t.workspace}
}

// ticketReviewed folds tier 2's verdict. After a skipped review the ticket waits for a user;
// before decisions 3 only if nothing was changed.
func (s *State) ticketReviewed(x events.TicketReviewed) {
	t := s.attempt(x.Ticket, x.Attempt, reviewing)
	if t == nil {
		return
	}
	what := "it was reported as done, but its changes could not be reviewed: "
	if t.said.Unchanged {
		what = "it is said to be done, no file was changed, and nobody could review that: "
	}
	switch {
	case x.Verdict == events.ReviewSkipped && (t.said.Unchanged || s.basis.Decision(events.ActorConductor) >= 3):
		t.kind, t.verdict = events.BlockWorker, brief(what+strings.Join(x.Reasons, "; "))
		s.move(t, denied)
		return
	case x.Verdict != events.ReviewSentBack:
		s.done(t)
		return
	}
	t.asks = x.Reasons
	t.verdict = brief("sent back by the review: " + strings.Join(x.Reasons, "; "))
	s.move(t, gaveUp)
}

// brief returns the task of the next attempt: the description, and what the review of the previous
// attempt asked for.
func (t *ticket) brief() string {
	if len(t.asks) == 0 {
		return t.Description
	}
	return t.Description + "\n\n## The review of an earlier attempt asks for this\n\n- " + strings.Join(t.asks, "\n- ") +
		"\n"
}
