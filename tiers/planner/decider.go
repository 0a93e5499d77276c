package planner

import (
	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/planning"
)

// tier is the tier of this package.
const tier = 1

// State is the planner's state for a session.
type State struct {
	desk   planning.Desk
	goals  tiers.Goals
	closed bool
	goal   goal          // the current goal; without id if there is none
	job    *planning.Job // the plan of goal; nil if there is none
	queue  []goal        // submitted and not started
	taken  trackIDs
	talks  tiers.Talks
}

type goal struct {
	id, text string
	reviewed bool // a user reviews its plan
}

// Decider returns the decider of tier 1.
func Decider() tiers.Decider[*State] {
	return tiers.Decider[*State]{
		Name:   events.ActorPlanner,
		New:    func() *State { return &State{taken: trackIDs{used: map[string]bool{}}, talks: tiers.Talks{}} },
		Evolve: evolve,
		Decide: decide,
	}
}

func decide(s *State, _ *events.Event) []events.Payload {
	if s.closed || s.job == nil || s.job.Due() == nil {
		return nil
	}
	return []events.Payload{s.job.Due()}
}

func evolve(s *State, e *events.Event) *State {
	s.goals.Evolve(e)
	switch {
	case s.closed:
	case e.Actor == events.ActorPlanner:
		s.emitted(e)
	default:
		s.fold(e)
	}
	return s
}

func (s *State) emitted(e *events.Event) {
	if p, ok := e.Payload.(events.TracksProposed); ok {
		s.taken.add(p.Tracks)
	}
	if s.job != nil {
		s.job.Emitted(e)
	}
}

func (s *State) fold(e *events.Event) {
	before := s.desk.Basis
	s.desk.Evolve(e)
	s.talks.Evolve(e)
	switch x := e.Payload.(type) {
	case events.DecisionsUpgraded:
		if s.job != nil {
			s.job.Reword(before, x.Basis)
		}
	case events.SessionClosed:
		s.closed = true
	case events.GoalSubmitted:
		if !x.Solo && !x.Track {
			s.queue = append(s.queue, goal{e.ID, x.Goal, x.Plan})
			s.begin()
		}
	case events.GoalCompleted:
		s.end(x.Goal)
	case events.GoalFailed:
		s.end(x.Goal)
	case events.ContextBuilt:
		if s.awaits(x.Request) {
			s.job.Ask(&s.desk, s.prompt(e, x))
		}
	case events.ModelReplied:
		if s.awaits(x.Request) {
			plan, err := s.read(x.Text)
			s.job.Replied(&s.desk, e, x, plan, err)
		}
	case events.ModelFailed:
		if s.awaits(x.Request) {
			s.job.ModelFailed(&s.desk, e, x)
		}
	case events.ModelDenied:
		if s.awaits(x.Request) {
			s.job.ModelFailed(&s.desk, e, x.Failed())
		}
	}
}

func (s *State) awaits(request string) bool { return s.job != nil && s.job.Awaits(request) }

// begin takes the next goal from the queue if none is running.
func (s *State) begin() {
	if s.goal.id != "" || len(s.queue) == 0 {
		return
	}
	s.goal, s.queue = s.queue[0], s.queue[1:]
	subject := planning.Subject{Tier: tier, StreamID: "Tier 1", Goal: s.goal.id, Place: s.desk.Settings.Place()}
	if err := checkGoal(s.goal.text); err != nil {
		// our words: checkGoal writes this text.
		s.job = planning.Refuse(subject, err.Error())
		return
	}
	s.job = planning.Begin(subject, views())
}

// end releases the planner once the conductor has finished the current goal.
func (s *State) end(id string) {
	if id != s.goal.id {
		return
	}
	s.goal, s.job = goal{}, nil
	s.begin()
}
