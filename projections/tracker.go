package projections

import "manualslop/events"

// Tracker tells, for who renders facts one by one, which facts about model
// requests and tool calls count: the first answer to a request, the first
// outcome for the approved bytes and the current generation.
type Tracker struct {
	requests requests
	calls    calls
}

// NewTracker starts on an empty session.
func NewTracker() *Tracker { return &Tracker{requests{}, calls{}} }

// Counts folds one decoded event and tells whether it counts. Undecodable
// events do not; facts about anything else always do.
func (t *Tracker) Counts(e *events.Event) bool {
	counts := true
	switch p := e.Payload.(type) {
	case nil, events.Unknown, events.Malformed:
		return false
	case events.ModelRequested:
		t.requests.asked(e, &p)
	case events.ModelReplied:
		_, counts = t.requests.answered(p.Request)
	case events.ModelFailed:
		_, counts = t.requests.answered(p.Request)
	case events.ModelDenied:
		_, counts = t.requests.answered(p.Request)
	case events.ToolRequested, events.ToolApproved, events.ToolDenied, events.ToolSettled, events.ToolParked,
		events.InterruptResolved:
		_, counts = t.calls.take(e)
	}
	return counts
}
