package projections

import "manualslop/events"

// What a session is at, as mma_status says it.
const (
	Idle      = "idle"      // no goal is at work
	Planning  = "planning"  // a goal or a track is being cut
	Executing = "executing" // tickets are at work
	Done      = "done"      // every goal is completed
)

// phase folds what a session is at.
type phase struct {
	State string          `json:"state"`
	Goals map[string]bool `json:"goals,omitempty"` // goals that are neither completed nor failed
}

func newPhase() phase { return phase{State: Idle, Goals: map[string]bool{}} }

func (p *phase) apply(e *events.Event) {
	switch x := e.Payload.(type) {
	case events.GoalSubmitted:
		p.open(e.ID)
		if p.State != Executing {
			p.State = Planning
		}
	case events.TrackStarted:
		p.State = Planning
	case events.TicketsPlanned:
		p.State = Executing
	case events.TicketStarted:
		p.State = Executing
	case events.GoalCompleted:
		p.close(x.Goal, Done)
	case events.GoalFailed:
		p.close(x.Goal, Idle)
	case events.SessionClosed:
		if p.State != Done {
			p.State = Idle
		}
	}
}

func (p *phase) open(goal string) {
	if p.Goals == nil {
		p.Goals = map[string]bool{}
	}
	p.Goals[goal] = true
}

// close ends a goal; the state is next unless another goal is still open.
func (p *phase) close(goal, next string) {
	delete(p.Goals, goal)
	if len(p.Goals) > 0 {
		next = Planning
	}
	p.State = next
}
