package events

// Verdicts of a review.
const (
	ReviewApproved = "approve"
	ReviewSentBack = "send_back"
	ReviewSkipped  = "skipped" // nobody could review; Reasons say why
)

// MaxReviewFiles bounds the files that a TicketResolved and a ReviewRequested name.
const MaxReviewFiles = 200

// ReviewRequested asks tier 2 to review what an attempt at a ticket changed,
// before the ticket is completed.
type ReviewRequested struct {
	Track   string       `json:"track"`
	Ticket  Ticket       `json:"ticket"`
	Attempt int          `json:"attempt"`
	Text    string       `json:"text,omitempty"` // the contributor's last word, cut
	Changes []FileChange `json:"changes,omitempty"`
	// Workspace is the place in which the attempt worked; empty: the person's folder.
	Workspace string `json:"workspace,omitempty"`
}

// EventType is the identity on the wire.
func (ReviewRequested) EventType() Type { return Type{"ReviewRequested", 1} }

// EventCorr is the ticket.
func (e ReviewRequested) EventCorr() string { return e.Ticket.ID }

// TicketReviewed is tier 2's word on an attempt.
type TicketReviewed struct {
	Ticket  string   `json:"ticket"`
	Attempt int      `json:"attempt"`
	Verdict string   `json:"verdict"` // approve, send_back, skipped
	Reasons []string `json:"reasons,omitempty"`
}

// EventType is the identity on the wire.
func (TicketReviewed) EventType() Type { return Type{"TicketReviewed", 1} }

// EventCorr is the ticket.
func (e TicketReviewed) EventCorr() string { return e.Ticket }

func reviewDefs() []Def {
	return []Def{
		Define(Decision, "conductor", "Tier 2 is to review what an attempt changed.", ReviewRequested{Track: "TR-1",
			Ticket: Ticket{ID: "T-001", Description: "Mend it", Status: StatusInProgress,
				Priority: "medium", ContextRequirements: []string{}, DependsOn: []string{}}, Attempt: 1, Text: "done",
			Changes: []FileChange{{Path: "a.go", Before: "ab", After: "cd"}}}),
		Define(Decision, "lead", "Tier 2's word on an attempt: approved, sent back, or not reviewed.", TicketReviewed{"T-001",
			1, ReviewSentBack, []string{"no test"}}),
	}
}
