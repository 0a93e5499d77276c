package approval

import (
	"slices"

	"manualslop/events"
	"manualslop/tiers"
)

// Decider returns the two functions of approval.
func Decider() tiers.Decider[*State] {
	return tiers.Decider[*State]{Name: events.ActorApproval, New: newState, Evolve: evolve, Decide: decide}
}

// State is approval's state for a session.
type State struct {
	basis     events.Basis
	settings  events.Settings
	workspace string
	rules     []events.Rule
	tools     map[string]*tool
	calls     map[string]*call  // by id; nil once a call has its final result
	previews  []*call           // calls that wait for their preview, oldest first
	replies   map[string]*reply // by ticket: the calls of its newest reply
	asks      map[string]*ask
	open      []*ask                           // unsettled asks, oldest first
	killed    map[string]int                   // ticket to its newest killed attempt
	showing   map[string]conversation          // by the id of a request for views: the conversation that will read them
	taints    map[conversation]*taint          // what conversations have read
	tracks    map[string]string                // ticket to the track whose plan contains it
	goals     map[string]string                // track to the goal whose plan contains it
	leads     map[string]string                // track to the persona that plans it
	writes    []write                          // writes that count, in stream order
	personas  map[string]string                // ticket or turn to the persona that it asks for
	turns     map[string]int                   // turn to the tier that answers it
	ended     map[string]int                   // ticket to its newest ended attempt
	held      map[string]work                  // by folded path: the work that is changing a file in the shared folder
	places    map[string]string                // name of a workspace to its folder
	merges    map[string]events.MergeRequested // by ticket: merges without an outcome
	tries     map[string]tiers.MergeTries      // by ticket: attempts to merge work that is not merged
	landed    map[string]uint64                // sequence at which the work of a workspace was merged
	newest    map[string]string                // ticket to the workspace of its newest attempt
	stale     map[string]bool                  // workspaces of attempts that were followed by a newer one
	plans     map[string]events.PlanAnswered   // by open ask: the plan that it is about
	closed    bool
	money     *money           // nil if no budget is set
	cause     *events.Event    // the foreign event that is being folded, or the earlier answer that it lets count
	owed      []events.Payload // what the last foreign event made due, in order
}

func newState() *State {
	return &State{tools: map[string]*tool{}, calls: map[string]*call{}, replies: map[string]*reply{},
		asks: map[string]*ask{}, killed: map[string]int{},
		showing: map[string]conversation{}, taints: map[conversation]*taint{}, tracks: map[string]string{},
		goals: map[string]string{}, leads: map[string]string{}, personas: map[string]string{}, turns: map[string]int{},
		ended: map[string]int{}, held: map[string]work{}, places: map[string]string{},
		merges: map[string]events.MergeRequested{}, tries: map[string]tiers.MergeTries{},
		landed: map[string]uint64{}, newest: map[string]string{}, stale: map[string]bool{},
		plans: map[string]events.PlanAnswered{}}
}

// decide returns the facts that the last foreign event made due, in order. Folding a fact removes
// it from the list, so after a crash between two facts, folding again yields the rest.
func decide(s *State, _ *events.Event) []events.Payload { return s.owed }

// evolve folds one event. A foreign event determines which facts are due; a fact of its own removes the
// first of them.
func evolve(s *State, e *events.Event) *State {
	if e.Actor == events.ActorApproval {
		s.paid(e)
		return s
	}
	s.owed, s.cause = nil, e
	s.basis, _ = s.basis.Changed(e.Payload)
	if s.closed {
		s.foldLate(e)
	} else {
		s.fold(e)
		s.foldMoney(e)
	}
	s.cause = nil
	return s
}

// foldLate folds events after the end of a session: a user may still undo changes, which needs
// the outcomes of calls and merges. A program's question that was posted while the session was
// being closed is settled as rejected.
func (s *State) foldLate(e *events.Event) {
	switch p := e.Payload.(type) {
	case events.UndoRequested:
		s.undo(e, p)
	case events.AskPosted:
		s.postedLate(e, p)
	case events.ToolSettled:
		s.settled(e, p)
	case events.ToolParked:
		s.parked(e, p)
	case events.MergeSettled:
		s.mergeSettled(e, p)
	}
}

// fold folds events of other actors.
func (s *State) fold(e *events.Event) {
	switch p := e.Payload.(type) {
	case events.SessionOpened:
		s.settings, s.workspace = p.Settings, p.Workspace
		s.rules = append(s.rules, p.Settings.Rules...)
		if p.Settings.Budget.Guards() {
			s.money = newMoney(p.Settings.Budget)
		}
	case events.RuleAdded:
		s.rules = append(s.rules, p.Rule)
		s.settleByRules(e)
	case events.RulesReplaced:
		s.rules = slices.Clone(p.Rules)
		s.settleByRules(e)
	case events.ToolsOffered:
		s.offer(p)
	case events.ToolRequested, events.PreviewBuilt, events.ToolSettled, events.ToolParked:
		s.foldCall(e)
	case events.ContextRequested, events.ContextBuilt, events.RefreshRequested, events.FilesUpdated,
		events.ReviewRequested:
		s.foldViews(e)
	case events.TrackStarted, events.TicketsPlanned:
		s.foldPlan(p)
	case events.TicketStarted:
		s.started(p)
	case events.TurnRequested:
		s.asked(e, p)
	case events.TalkAttached:
		s.attached(p)
	case events.TurnEnded:
		s.release(p.Turn, 1)
	case events.SpawnRequested:
		s.spawn(e, p)
	case events.StepRequested:
		s.step(e, p)
	case events.QuestionRequested:
		s.modelAsks(e, p)
	case events.PlanProposed:
		s.planProposed(e, p)
	case events.PatchProposed:
		s.proposed(e, p)
	case events.UndoRequested:
		s.undo(e, p)
	case events.AskPosted:
		s.posted(e, p)
	case events.CallAbandoned:
		s.withdrawCall(e, p)
	case events.InputRequested:
		s.input(e, p)
	case events.AskAnswered:
		s.answered(e, p)
	case events.Malformed:
		s.unreadable(e, p)
	case events.TimerFired:
		s.fired(e, p)
	case events.TicketBlocked:
		s.blocked(e, p)
	case events.TicketKilled:
		s.kill(e, p)
		s.release(p.Ticket, p.Attempt)
	case events.TicketResolved:
		s.release(p.Ticket, p.Attempt)
	case events.WorkspacePrepared:
		s.prepared(p)
	case events.MergeRequested:
		s.mergeRequested(p)
	case events.MergeSettled:
		s.mergeSettled(e, p)
	case events.SessionClosed:
		s.close(e, p)
	default:
		s.settings, _ = s.settings.Changed(e.Payload)
	}
}

func (s *State) foldCall(e *events.Event) {
	switch p := e.Payload.(type) {
	case events.ToolRequested:
		s.request(e, p)
	case events.PreviewBuilt:
		s.preview(e, p)
	case events.ToolSettled:
		s.settled(e, p)
	case events.ToolParked:
		s.parked(e, p)
	}
}

// owe makes a fact due.
func (s *State) owe(p events.Payload) { s.owed = append(s.owed, p) }

// paid folds a fact of its own: it removes the first due fact and records its effects on calls and asks.
func (s *State) paid(e *events.Event) {
	s.owed = s.owed[1:]
	switch p := e.Payload.(type) {
	case events.PreviewRequested:
		if c := s.calls[p.Call]; c.tried == nil {
			s.previews = append(s.previews, c)
		} else {
			c.check = e.ID
		}
	case events.AskRaised:
		a := newAsk(p)
		s.asks[a.id] = a
		s.open = append(s.open, a)
	case events.AskSettled:
		s.asks[p.Ask].settled, s.asks[p.Ask].args = &settlement{by: p.By, at: p.At}, nil
		s.open = without(s.open, s.asks[p.Ask])
	case events.ToolApproved:
		c := s.calls[p.Call]
		c.count.Approve(p)
		c.args, c.digest, c.edited = p.Args, p.ArgsSHA256, p.Edited
		s.hold(c)
	case events.ToolDenied:
		s.calls[p.Call] = nil
	case events.InterruptResolved:
		if p.Resolution != events.InterruptRetry {
			s.calls[p.Call] = nil
		}
	}
}

// without returns a copy of list without x, so that loops over the original are not affected.
func without[T comparable](list []T, x T) []T {
	out := make([]T, 0, len(list))
	for _, y := range list {
		if y != x {
			out = append(out, y)
		}
	}
	return out
}
