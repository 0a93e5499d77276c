package conductor

import (
	"strings"

	"manualslop/events"
	"manualslop/tiers"
)

// maxSaid bounds what a review reads of a contributor's last word, in bytes.
const maxSaid = 4 << 10

// reviewDue asks tier 2 to look at what an attempt changed.
func (t *ticket) reviewDue() events.Payload {
	return events.ReviewRequested{Track: t.track.ID, Ticket: t.Ticket, Attempt: t.attempt, Text: tiers.Clip(t.said.Text,
		maxSaid),
		Changes: t.said.Changes, Workspace: t.workspace}
}

// ticketReviewed takes tier 2's word. A review that did not happen is no reason to
// do the work again; where nothing was changed, the ticket waits for a person.
func (s *State) ticketReviewed(x events.TicketReviewed) {
	t := s.attempt(x.Ticket, x.Attempt, reviewing)
	if t == nil {
		return
	}
	switch {
	case x.Verdict == events.ReviewSkipped && t.said.Unchanged:
		t.kind, t.verdict = events.BlockWorker, brief("it is said to be done, no file was changed, and nobody could review "+
			"that: "+strings.Join(x.Reasons, "; "))
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

// brief is what the next attempt is to do: the description, and what the review
// of the one before asks for.
func (t *ticket) brief() string {
	if len(t.asks) == 0 {
		return t.Description
	}
	return t.Description + "\n\n## The review of an earlier attempt asks for this\n\n- " + strings.Join(t.asks, "\n- ") +
		"\n"
}
