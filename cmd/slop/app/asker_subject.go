package app

import (
	"fmt"

	"manualslop/cmd/slop/term"
	"manualslop/events"
	"manualslop/tiers"
)

// subjects holds the context of questions: the text of tickets, and what models said before their calls.
type subjects struct {
	tickets  map[string]string // by id: its task
	requests map[string]string // by id of an unanswered request: its ticket
	said     map[string]string // by ticket: the text of the newest reply
	// workspaces are those of calls, by call; calls in the user's folder are left out.
	workspaces map[string]string
}

// take folds an event.
func (s *subjects) take(e *events.Event) {
	if s.tickets == nil {
		*s = subjects{tickets: map[string]string{}, requests: map[string]string{}, said: map[string]string{},
			workspaces: map[string]string{}}
	}
	switch p := e.Payload.(type) {
	case events.TicketStarted:
		s.tickets[p.Ticket.ID] = p.Prompt
		delete(s.said, p.Ticket.ID)
	case events.ModelRequested:
		if p.Tier == 3 && p.Ticket != "" {
			s.requests[e.ID] = p.Ticket
		}
	case events.ModelReplied:
		if ticket := s.requests[p.Request]; ticket != "" {
			s.said[ticket] = tiers.WithoutThoughts(p.Text)
		}
		delete(s.requests, p.Request)
	case events.ModelFailed:
		delete(s.requests, p.Request)
	case events.ModelDenied:
		delete(s.requests, p.Request)
	case events.ToolRequested:
		if p.Workspace != "" {
			s.workspaces[p.Call] = p.Workspace
		}
	case events.ToolSettled:
		delete(s.workspaces, p.Call)
	case events.TicketCompleted:
		delete(s.tickets, p.Ticket)
		delete(s.said, p.Ticket)
	}
}

// lines returns the lines printed above a question: its place among the open ones, its ticket, and what the model said
// before a call.
func (s *subjects) lines(ask events.AskRaised, open int) []string {
	var out []string
	if open > 1 {
		out = append(out, fmt.Sprintf("question 1 of %d", open))
	}
	if text := s.tickets[ask.Ticket]; text != "" {
		out = append(out, ask.Ticket+": "+term.OneLine(text))
	}
	if said := s.said[ask.Ticket]; (ask.Gate == events.GateTool || ask.Gate == events.GateStep) && said != "" {
		out = append(out, "the model said: "+term.OneLine(said))
	}
	return out
}
