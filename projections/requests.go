package projections

import "manualslop/events"

// request is what a read model remembers of a model request until its answer.
type request struct {
	Stream        string `json:"stream"`
	Goal          string `json:"goal,omitempty"`
	Track         string `json:"track,omitempty"`
	Ticket        string `json:"ticket,omitempty"`
	Call          string `json:"call,omitempty"`
	Tier          int    `json:"tier"`
	TicketAttempt int    `json:"ticket_attempt,omitempty"`
	Round         int    `json:"round,omitempty"`
	Provider      string `json:"provider"`
	Model         string `json:"model"`
}

// requests are the model requests without an answer, by id. The first reply or
// failure in stream order is the answer; it takes the request off.
type requests map[string]request

// asked notes a request.
func (r requests) asked(e *events.Event, p *events.ModelRequested) request {
	q := request{
		Stream: p.StreamID, Goal: p.Goal, Track: p.Track, Ticket: p.Ticket, Call: p.Call, Tier: p.Tier,
		TicketAttempt: p.TicketAttempt, Round: p.Round, Provider: p.Provider, Model: p.Model,
	}
	r[e.ID] = q
	return q
}

// answered takes a request off; false if it is unknown or was answered before.
func (r requests) answered(id string) (request, bool) {
	q, ok := r[id]
	if ok {
		delete(r, id)
	}
	return q, ok
}
