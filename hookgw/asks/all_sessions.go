package asks

import (
	"cmp"
	"slices"

	"manualslop/hookgw/core"
	"manualslop/projections"
)

// inboxLine is an open ask together with its origin.
type inboxLine struct {
	Session    string `json:"session"`
	Label      string `json:"label,omitempty"`
	Goal       string `json:"goal,omitempty"`        // text of the session's newest goal
	TicketText string `json:"ticket_text,omitempty"` // description of the ask's ticket
	AskLine
}

// inboxList is the answer of GET /api/inbox.
type inboxList struct {
	Asks    []inboxLine   `json:"asks"`
	Blocked []blockedLine `json:"blocked"`
}

// blockedLine is a blocked ticket together with its session.
type blockedLine struct {
	Session string `json:"session"`
	Label   string `json:"label,omitempty"`
	Goal    string `json:"goal,omitempty"`
	projections.BlockedTicket
}

// getInbox lists the asks that wait for the user in every open session, oldest first, and the blocked tickets.
func getInbox(c *core.Call) error {
	out := inboxList{[]inboxLine{}, []blockedLine{}}
	for _, about := range c.Gw.Cfg.Models.Sessions() {
		if about.Closed != nil {
			continue
		}
		for _, b := range about.Blocked {
			out.Blocked = append(out.Blocked, blockedLine{about.Session, about.Label, about.Goal, b})
		}
		if about.PendingAsks == 0 {
			continue
		}
		if err := c.Read(about.Session, func(s *projections.Set) {
			for _, ask := range Inbox(s, StatePending) {
				line := inboxLine{Session: about.Session, Label: about.Label, Goal: about.Goal, AskLine: ask}
				if t, ok := s.Ticket(ask.Ticket); ok {
					line.TicketText = t.Description
				}
				out.Asks = append(out.Asks, line)
			}
		}); err != nil {
			return err
		}
	}
	slices.SortStableFunc(out.Asks, func(a, b inboxLine) int { return cmp.Compare(a.RaisedSeq, b.RaisedSeq) })
	return c.ReplyUnlessKnown(out)
}
