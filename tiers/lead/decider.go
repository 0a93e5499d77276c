package lead

import (
	"slices"

	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/conversation"
	"manualslop/tiers/planning"
)

// tier is the tier of this package.
const tier = 2

// State is the lead's state for a session.
type State struct {
	desk    planning.Desk
	goals   tiers.Goals
	closed  bool
	byTrack map[string]*work // every track that was ever started
	reviews map[string]*work // by ticket: its review in progress
	waiting map[string]*work // by id of the fact whose answer it waits for
	due     []*work          // work with a fact due, oldest first
	taken   map[string]bool  // ticket ids of the session
	order   []string         // the same ids in planned order
	asks    map[string]bool  // goals whose plans wait for a user
	talks   tiers.Talks      // discussions of goals
}

// work is the plan of one track, or the review of one attempt, in progress.
type work struct {
	track  events.Track
	review *events.ReviewRequested // nil for a plan
	job    *planning.Job
	goal   string          // of the track
	plan   []events.Ticket // that waits for a user
}

// Decider returns the decider of tier 2.
func Decider() tiers.Decider[*State] {
	return tiers.Decider[*State]{
		Name: events.ActorLead,
		New: func() *State {
			return &State{byTrack: map[string]*work{}, reviews: map[string]*work{}, waiting: map[string]*work{},
				taken: map[string]bool{}, asks: map[string]bool{}, talks: tiers.Talks{}}
		},
		Evolve: evolve,
		Decide: decide,
	}
}

func decide(s *State, _ *events.Event) []events.Payload {
	if s.closed || len(s.due) == 0 {
		return nil
	}
	return []events.Payload{s.due[0].job.Due()}
}

func evolve(s *State, e *events.Event) *State {
	s.goals.Evolve(e)
	switch {
	case s.closed:
	case e.Actor == events.ActorLead:
		s.emitted(e)
	default:
		s.fold(e)
	}
	return s
}

// emitted folds a fact of its own, which always belongs to the oldest due work.
func (s *State) emitted(e *events.Event) {
	w := s.due[0]
	switch p := e.Payload.(type) {
	case events.TicketsPlanned:
		s.take(p.Tickets)
		w.plan = nil
	case events.PlanProposed:
		w.plan = p.Tickets
	case events.TicketReviewed:
		if s.reviews[p.Ticket] == w {
			delete(s.reviews, p.Ticket)
		}
	}
	w.job.Emitted(e)
	if w.job.Due() == nil {
		s.due = slices.Delete(s.due, 0, 1)
	}
	if w.job.Awaits(e.ID) {
		s.waiting[e.ID] = w
	}
}

// take records ids that no other ticket of the session may use.
func (s *State) take(tickets []events.Ticket) {
	for _, t := range tickets {
		if !s.taken[t.ID] {
			s.taken[t.ID] = true
			s.order = append(s.order, t.ID)
		}
	}
}

func (s *State) fold(e *events.Event) {
	before := s.desk.Basis
	s.desk.Evolve(e)
	s.talks.Evolve(e)
	switch x := e.Payload.(type) {
	case events.DecisionsUpgraded:
		s.reword(before, x.Basis)
	case events.SessionClosed:
		s.closed = true
	case events.GoalSubmitted:
		if x.Plan {
			s.asks[e.ID] = true
		}
	case events.PlanAnswered:
		if w := s.answered(x.Plan); w != nil {
			s.planAnswered(w, x)
		}
	case events.TrackStarted:
		s.begin(x)
	case events.ReviewRequested:
		s.review(x)
	case events.TicketKilled:
		s.dropReview(x)
	case events.TicketsAdded:
		for _, t := range x.Tickets {
			s.taken[t.ID] = true // not listed for the model, which cannot guess it
		}
	case events.GraphMutated:
		s.mutated(x)
	case events.ContextBuilt:
		if w := s.answered(x.Request); w != nil && !w.job.Shown(&s.desk, e, x) {
			w.job.Ask(&s.desk, s.manifest(w, e, x))
		}
	case events.ModelReplied:
		if w := s.answered(x.Request); w != nil {
			if s.shows(w) && w.job.Show(&s.desk, e, x) {
				break
			}
			plan, err := s.reply(w, x.Text)
			w.job.Replied(&s.desk, e, x, plan, err)
		}
	case events.ModelFailed:
		if w := s.answered(x.Request); w != nil {
			w.job.ModelFailed(&s.desk, e, x)
		}
	case events.ModelDenied:
		if w := s.answered(x.Request); w != nil {
			w.job.ModelFailed(&s.desk, e, x.Failed())
		}
	}
}

// shows reports whether the model may request files: only for a plan, in a session whose prompt
// explains how.
func (s *State) shows(w *work) bool {
	return w.review == nil && s.desk.Basis.Decision(events.ActorLead) >= 2
}

// reword replaces the texts of a basis in every conversation.
func (s *State) reword(from, to events.Basis) {
	for _, all := range []map[string]*work{s.byTrack, s.reviews} {
		// order-independent: each is handled on its own
		for _, w := range all {
			w.job.Reword(from, to)
		}
	}
}

// manifest returns the complete prompt of a work's first request.
func (s *State) manifest(w *work, built *events.Event, x events.ContextBuilt) *conversation.Thread {
	if w.review != nil {
		return s.reviewPrompt(w, built, x)
	}
	return s.prompt(w, built, x)
}

// reply parses the model's reply for w. It returns an error if the reply cannot be used.
func (s *State) reply(w *work, text string) (events.Payload, error) {
	if w.review != nil {
		return readReview(w.review, text)
	}
	tickets, err := s.read(text)
	switch {
	case err != nil:
		return nil, err
	case s.asks[w.goal]:
		return events.PlanProposed{Goal: w.goal, Track: w.track.ID, Tickets: tickets}, nil
	}
	return events.TicketsPlanned{Track: w.track.ID, Tickets: tickets}, nil
}

// mutated records the ids of tickets that a user added. The id of a removed ticket stays taken.
func (s *State) mutated(x events.GraphMutated) {
	for _, op := range x.Ops {
		if op.Op == events.GraphAddTicket && op.New != nil {
			s.take([]events.Ticket{*op.New})
		}
	}
}

// answered returns the work that waits for an answer to request and marks it as due; nil if there
// is none.
func (s *State) answered(request string) *work {
	w := s.waiting[request]
	if w != nil {
		delete(s.waiting, request)
		s.due = append(s.due, w)
	}
	return w
}

func (s *State) begin(x events.TrackStarted) {
	if s.byTrack[x.Track.ID] != nil {
		return
	}
	subject := planning.Subject{Tier: tier, StreamID: "Tier 2", Goal: x.Goal, Track: x.Track.ID,
		Persona: s.persona(x.Track), Place: s.desk.Settings.Place()}
	w := &work{track: x.Track, goal: x.Goal, job: planning.Begin(subject, views(x.Track))}
	s.byTrack[x.Track.ID] = w
	s.due = append(s.due, w)
}

// persona returns the persona that plans a track; "" if the roster does not have the one that the
// model named.
func (s *State) persona(t events.Track) string {
	if _, has := s.desk.Settings.Roster.Persona(t.Persona); has {
		return t.Persona
	}
	return ""
}
