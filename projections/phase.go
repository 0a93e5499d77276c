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
	Extra map[string]bool `json:"extra,omitempty"` // tracks without a goal, and whether they are at work
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
	case events.TicketsAdded:
		if p.Extra == nil {
			p.Extra = map[string]bool{}
		}
		p.Extra[x.Track.ID], p.State = true, Executing
	case events.TicketStarted:
		if _, extra := p.Extra[x.Track]; extra {
			p.Extra[x.Track] = true
		}
		p.State = Executing
	case events.TrackCompleted:
		p.rest(x.Track, Done)
	case events.TrackBlocked:
		p.rest(x.Track, Idle)
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

// close ends a goal; the state is next unless something else is still open.
func (p *phase) close(goal, next string) {
	delete(p.Goals, goal)
	switch {
	case len(p.Goals) > 0:
		p.State = Planning
	case p.extraWork():
		p.State = Executing
	default:
		p.State = next
	}
}

// rest notes that a track without a goal is not at work; the state is next
// unless something else is.
func (p *phase) rest(track, next string) {
	if _, extra := p.Extra[track]; !extra {
		return
	}
	p.Extra[track] = false
	if len(p.Goals) == 0 && !p.extraWork() {
		p.State = next
	}
}

// extraWork tells whether a track without a goal is at work.
func (p *phase) extraWork() bool {
	// order-independent: asks whether there is any.
	for _, working := range p.Extra {
		if working {
			return true
		}
	}
	return false
}
