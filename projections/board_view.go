package projections

import "manualslop/events"

// TicketState is a ticket as clients see it: every field is there, null where
// it is not set.
type TicketState struct {
	ID                  string   `json:"id"`
	Description         string   `json:"description"`
	Status              string   `json:"status"` // todo, in_progress, completed, blocked: now
	AssignedTo          string   `json:"assigned_to"`
	TargetFile          *string  `json:"target_file"`
	ContextRequirements []string `json:"context_requirements"`
	DependsOn           []string `json:"depends_on"`
	BlockedReason       *string  `json:"blocked_reason"`
	StepMode            bool     `json:"step_mode"`
	Priority            string   `json:"priority"`
	ModelOverride       *string  `json:"model_override"`
	PersonaID           *string  `json:"persona_id"`
	RetryCount          int      `json:"retry_count"`
}

// TrackState is a track as clients see it.
type TrackState struct {
	ID          string   `json:"id"`
	Title       string   `json:"title"`
	Description string   `json:"description"`
	Status      string   `json:"status"` // todo, in_progress, completed, blocked
	Reason      *string  `json:"blocked_reason"`
	Goal        string   `json:"goal"` // id of its GoalSubmitted
	Modules     []string `json:"modules"`
	Severity    *string  `json:"severity"`
	Persona     *string  `json:"persona"`
	Acceptance  []string `json:"acceptance"`
	Tickets     int      `json:"ticket_count"`
	Completed   int      `json:"completed_count"`
}

func ticketState(t events.Ticket) TicketState {
	return TicketState{
		ID: t.ID, Description: t.Description, Status: t.Status, AssignedTo: t.AssignedTo, TargetFile: optional(t.TargetFile),
		ContextRequirements: list(t.ContextRequirements), DependsOn: list(t.DependsOn),
		BlockedReason: optional(t.BlockedReason),
		StepMode:      t.StepMode, Priority: t.Priority, ModelOverride: optional(t.ModelOverride),
		PersonaID:  optional(t.PersonaID),
		RetryCount: t.RetryCount,
	}
}

func ticketStates(tickets []*boardTicket) []TicketState {
	out := make([]TicketState, len(tickets))
	for i, t := range tickets {
		out[i] = ticketState(t.Ticket)
	}
	return out
}

func trackStates(tracks []*boardTrack) []TrackState {
	out := make([]TrackState, len(tracks))
	for i, t := range tracks {
		out[i] = TrackState{
			ID: t.Track.ID, Title: t.Track.Title, Description: t.Track.Description, Status: t.Status, Reason: optional(t.Reason),
			Goal: t.Goal, Modules: list(t.Track.Modules), Severity: optional(t.Track.Severity),
			Persona:    optional(t.Track.Persona),
			Acceptance: list(t.Track.Acceptance), Tickets: len(t.Tickets),
		}
		for _, ticket := range t.Tickets {
			if ticket.Ticket.Status == events.StatusCompleted {
				out[i].Completed++
			}
		}
	}
	return out
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func list(s []string) []string {
	if s == nil {
		return []string{}
	}
	return s
}
