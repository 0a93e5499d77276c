package headless

import (
	"encoding/json"

	"manualslop/events"
)

// workerEvents selects the events of a session that concern one ticket.
type workerEvents struct {
	ticket   string
	asks     map[string]bool // open ones
	calls    map[string]bool // of the ticket
	requests map[string]int  // model requests without an answer, and their rounds
}

// Bodies of a worker's server-sent events. The last one has the type generated.
type (
	ToldText struct {
		StreamID string       `json:"stream_id"`
		Request  string       `json:"request"` // of its live text
		Round    int          `json:"round"`
		Text     string       `json:"text"`
		Finish   string       `json:"finish"`
		Usage    events.Usage `json:"usage"`
	}
	ToldCall struct {
		Call   string          `json:"call"`
		Tool   string          `json:"tool"`
		Status string          `json:"status"` // requested, running, denied, parked, or its outcome
		Args   json.RawMessage `json:"args,omitempty"`
		Exit   *int            `json:"exit,omitempty"`
		Reason string          `json:"reason,omitempty"`
	}
	ToldAsk struct {
		ActionID string          `json:"action_id"`
		Gate     string          `json:"gate"`
		Title    string          `json:"title"`
		Tool     string          `json:"tool,omitempty"`
		Args     json.RawMessage `json:"args,omitempty"`
	}
	ToldAnswer struct {
		ActionID string `json:"action_id"`
		Gate     string `json:"gate"`
		Outcome  string `json:"outcome"`
		By       string `json:"by"`
		Reason   string `json:"reason,omitempty"`
	}
	ToldState struct {
		State   string `json:"state"`
		Attempt int    `json:"attempt,omitempty"`
		Model   string `json:"model,omitempty"`
		Round   int    `json:"round,omitempty"`
		Request string `json:"request,omitempty"` // the model request; if it failed, its live text does not count
		Reason  string `json:"reason,omitempty"`
	}
)

// tell returns the name and the body of the server-sent event for e. The name is empty if e concerns another ticket.
func (w *workerEvents) tell(e *events.Event) (string, any) {
	switch p := e.Payload.(type) {
	case events.ModelRequested:
		if p.Ticket == w.ticket && p.Tier == 3 {
			w.requests[e.ID] = p.Round
			return "state", ToldState{State: "calling the " +
				"model", Attempt: p.TicketAttempt, Model: p.Model, Round: p.Round,
				Request: e.ID}
		}
	case events.ModelReplied:
		if round, mine := w.answered(p.Request); mine {
			return "text", ToldText{events.WorkerStream(w.ticket), p.Request, round, p.Text, p.Finish, p.Usage}
		}
	case events.ModelFailed:
		if round, mine := w.answered(p.Request); mine {
			return "state", ToldState{State: "the model failed", Round: round, Request: p.Request, Reason: p.Kind + ": " +
				p.Message}
		}
	case events.ModelDenied:
		if round, mine := w.answered(p.Request); mine {
			return "state", ToldState{State: "not sent to the model", Round: round, Request: p.Request, Reason: p.Reason}
		}
	case events.AskRaised:
		if p.Ticket == w.ticket {
			w.asks[p.Ask] = true
			return "ask", ToldAsk{p.Ask, p.Gate, p.Title, p.Tool, p.Args}
		}
	case events.AskSettled:
		if w.asks[p.Ask] {
			delete(w.asks, p.Ask)
			return "answer", ToldAnswer{p.Ask, p.Gate, p.Outcome, p.By, p.Reason}
		}
	}
	if kind, body := w.tellCall(e); kind != "" {
		return kind, body
	}
	return w.tellState(e)
}

// answered removes a request. It returns false if the request belongs to another ticket or was already answered.
func (w *workerEvents) answered(request string) (int, bool) {
	round, mine := w.requests[request]
	delete(w.requests, request)
	return round, mine
}

func (w *workerEvents) tellCall(e *events.Event) (string, any) {
	switch p := e.Payload.(type) {
	case events.ToolRequested:
		if p.Ticket == w.ticket {
			w.calls[p.Call] = true
			return "call", ToldCall{Call: p.Call, Tool: p.Tool, Status: "requested", Args: p.Args}
		}
	case events.ToolApproved:
		if w.calls[p.Call] {
			return "call", ToldCall{Call: p.Call, Tool: p.Tool, Status: "running", Args: p.Args}
		}
	case events.ToolDenied:
		if w.calls[p.Call] {
			return "call", ToldCall{Call: p.Call, Tool: p.Tool, Status: "denied", Reason: p.Reason}
		}
	case events.ToolSettled:
		if w.calls[p.Call] {
			return "call", ToldCall{Call: p.Call, Tool: p.Tool, Status: p.Outcome, Exit: p.Exit}
		}
	case events.ToolParked:
		if w.calls[p.Call] {
			return "call", ToldCall{Call: p.Call, Tool: p.Tool, Status: "parked", Reason: p.Reason}
		}
	}
	return "", nil
}

func (w *workerEvents) tellState(e *events.Event) (string, any) {
	state, ticket := ToldState{}, ""
	switch p := e.Payload.(type) {
	case events.TicketReady:
		ticket, state = p.Ticket, ToldState{State: "ready"}
	case events.SpawnRequested:
		ticket, state = p.Ticket, ToldState{State: "starting", Attempt: p.Attempt, Model: p.Model}
	case events.TicketStarted:
		ticket, state = p.Ticket.ID, ToldState{State: "running", Attempt: p.Attempt, Model: p.Model}
	case events.TicketRetried:
		ticket, state = p.Ticket, ToldState{State: "tried again", Reason: p.Reason}
	case events.TicketUnblocked:
		ticket, state = p.Ticket, ToldState{State: "unblocked"}
	case events.TicketBlocked:
		ticket, state = p.Ticket, ToldState{State: "blocked: " + p.Kind, Reason: p.Reason}
	case events.TicketCompleted:
		ticket, state = p.Ticket, ToldState{State: "completed"}
	}
	if ticket != w.ticket || ticket == "" {
		return "", nil
	}
	return "state", state
}

// mayEnd reports whether e may have ended the work on the ticket.
func (w *workerEvents) mayEnd(e *events.Event) bool {
	switch p := e.Payload.(type) {
	case events.TicketCompleted:
		return p.Ticket == w.ticket
	case events.TicketBlocked:
		return p.Ticket == w.ticket
	case events.ControlRefused:
		return p.Ticket == w.ticket
	case events.GraphMutated, events.SessionClosed:
		return true
	}
	return false
}
