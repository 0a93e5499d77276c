package approval

import (
	"encoding/json"
	"slices"

	"manualslop/events"
	"manualslop/tiers"
)

// Decider is approval's two functions.
func Decider() tiers.Decider[*State] {
	return tiers.Decider[*State]{Name: events.ActorApproval, New: newState, Evolve: evolve, Decide: decide}
}

// State is approval's state of a session.
type State struct {
	basis     events.Basis
	settings  events.Settings
	workspace string
	rules     []events.Rule
	tools     map[string]*tool
	calls     map[string]*call  // by id; nil once a call had its last word
	previews  []*call           // that wait for their preview, oldest first
	replies   map[string]*reply // by ticket: the calls of its newest one
	asks      map[string]*ask
	open      []*ask                           // not settled, oldest first
	killed    map[string]int                   // ticket to its newest killed attempt
	showing   map[string]conversation          // by the id of a request for views: the conversation that is shown them
	taints    map[conversation]*taint          // what conversations have read
	tracks    map[string]string                // ticket to the track whose plan it is of
	goals     map[string]string                // track to the goal whose plan it is of
	leads     map[string]string                // track to the persona that plans it
	writes    []write                          // that counted, in stream order
	personas  map[string]string                // ticket or turn to the persona that it asks for
	turns     map[string]int                   // turn to the tier that answers it
	ended     map[string]int                   // ticket to its newest attempt that ended
	held      map[string]work                  // who changes a file in the shared folder, by its folded path
	places    map[string]string                // the folder of a workspace by its name
	merges    map[string]events.MergeRequested // by ticket, those without an outcome
	tries     map[string]tiers.MergeTries      // by ticket, of work that is not merged
	landed    map[string]uint64                // sequence at which the work of a workspace was merged
	newest    map[string]string                // the workspace of each ticket's newest attempt
	stale     map[string]bool                  // workspaces of attempts that a newer one follows
	closed    bool
	money     *money           // nil if no budget is set
	cause     *events.Event    // the foreign event that is being folded
	owed      []events.Payload // what the last foreign event made due, in order
}

func newState() *State {
	return &State{tools: map[string]*tool{}, calls: map[string]*call{}, replies: map[string]*reply{},
		asks: map[string]*ask{}, killed: map[string]int{},
		showing: map[string]conversation{}, taints: map[conversation]*taint{}, tracks: map[string]string{},
		goals: map[string]string{}, leads: map[string]string{}, personas: map[string]string{}, turns: map[string]int{},
		ended: map[string]int{}, held: map[string]work{}, places: map[string]string{},
		merges: map[string]events.MergeRequested{}, tries: map[string]tiers.MergeTries{},
		landed: map[string]uint64{}, newest: map[string]string{}, stale: map[string]bool{}}
}

// decide returns what the last foreign event made due, in order. Folding a fact
// removes it from the list, so a crash between two of them is repaired by
// folding again.
func decide(s *State, _ *events.Event) []events.Payload { return s.owed }

// evolve folds one event. A foreign event computes what is owed; an own fact
// removes the head of the list.
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

// foldLate folds events after the end of a session: a person may still undo its
// changes, for which the outcomes of its calls and merges are needed. A
// program's question posted at the same time as the closing is settled as a no.
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
	case events.RulesReplaced:
		s.rules = slices.Clone(p.Rules)
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
	case events.TurnEnded:
		s.release(p.Turn, 1)
	case events.SpawnRequested:
		s.spawn(e, p)
	case events.StepRequested:
		s.step(e, p)
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

// paid folds an own fact: it is the head of the due list, and its effects on
// calls and asks are recorded.
func (s *State) paid(e *events.Event) {
	s.owed = s.owed[1:]
	switch p := e.Payload.(type) {
	case events.PreviewRequested:
		s.previews = append(s.previews, s.calls[p.Call])
	case events.AskRaised:
		a := newAsk(p)
		s.asks[a.id] = a
		s.open = append(s.open, a)
	case events.AskSettled:
		s.asks[p.Ask].settled = &settlement{by: p.By, at: p.At}
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

// without returns list without x in a new array, so that loops over the old one
// are not affected.
func without[T comparable](list []T, x T) []T {
	out := make([]T, 0, len(list))
	for _, y := range list {
		if y != x {
			out = append(out, y)
		}
	}
	return out
}

// object returns a JSON object with one member.
func object(key, value string) json.RawMessage {
	b, err := json.Marshal(map[string]string{key: value})
	if err != nil {
		panic("approval: " + err.Error()) // two strings
	}
	return b
}
