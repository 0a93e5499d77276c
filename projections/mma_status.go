package projections

import (
	"slices"
	"strconv"
	"strings"

	"manualslop/events"
)

// MMAStatus is the state of the four tiers, as returned by GET
// /api/gui/mma_status with exactly the fourteen keys of Manual Slop.
type MMAStatus struct {
	MMAStatus string `json:"mma_status"` // Idle, Planning, Executing, Done
	// such as "idle", "sending...", "running powershell..."
	AIStatus                string            `json:"ai_status"`
	ActiveTier              *string           `json:"active_tier"`           // such as "Tier 3"; null while idle
	ActiveTrack             string            `json:"active_track"`          // id of the most recently started track
	ActiveTickets           []TicketState     `json:"active_tickets"`        // the tickets of that track
	StepMode                bool              `json:"mma_step_mode"`         // each round of a ticket needs approval
	PendingToolApproval     bool              `json:"pending_tool_approval"` // of a call, or of /api/ask
	PendingMMAStepApproval  bool              `json:"pending_mma_step_approval"`
	PendingMMASpawnApproval bool              `json:"pending_mma_spawn_approval"`
	PendingApproval         bool              `json:"pending_approval"` // step or tool
	PendingSpawn            bool              `json:"pending_spawn"`    // the same as the spawn approval
	Tracks                  []TrackState      `json:"tracks"`
	ProposedTracks          []TrackState      `json:"proposed_tracks"` // tracks that a user must accept
	MMAStreams              map[string]string `json:"mma_streams"`     // complete text by stream id
}

// The flags of [MMAStatus] that asks set.
const (
	PendingTool  = "pending_tool_approval"
	PendingStep  = "pending_mma_step_approval"
	PendingSpawn = "pending_mma_spawn_approval"
)

// GatesOf returns the gates whose open asks set a flag. Asks of other gates, such as budget and trust, set no flag,
// because each needs its own kind of answer.
func GatesOf(flag string) []string {
	switch flag {
	case PendingTool:
		return []string{events.GateTool, events.GateHTTP}
	case PendingStep:
		return []string{events.GateStep}
	case PendingSpawn:
		return []string{events.GateSpawn}
	}
	return nil
}

// mma is the state from which MMAStatus is made.
type mma struct {
	Phase    phase             `json:"phase"`
	Board    board             `json:"board"`
	Activity activity          `json:"activity"`
	Requests requests          `json:"requests"`
	Streams  streams           `json:"streams"`
	Asks     map[string]string `json:"asks"` // gates of open asks, by id
	StepMode bool              `json:"step_mode"`
}

var mmaStatus = Fold[*mma]{
	Name: "mma_status", Version: 5,
	Takes: ofTheWork,
	New: func() *mma {
		return &mma{Phase: newPhase(), Board: newBoard(), Activity: newActivity(), Requests: requests{}, Streams: streams{},
			Asks: map[string]string{}}
	},
	Apply: (*mma).apply,
	View:  func(m *mma) any { return m.view() },
}

func (m *mma) apply(e *events.Event) *mma {
	m.Phase.apply(e)
	m.Board.apply(e)
	m.Activity.apply(e)
	switch p := e.Payload.(type) {
	case events.SessionOpened:
		m.StepMode = p.Settings.StepMode
	case events.StepModeSet:
		m.StepMode = p.On
	case events.AskRaised:
		m.Asks[p.Ask] = p.Gate
	case events.AskSettled:
		delete(m.Asks, p.Ask)
	case events.ModelRequested:
		m.Requests.asked(e, &p)
	case events.ModelReplied:
		if q, counts := m.Requests.answered(p.Request); counts {
			m.Streams.replied(q, p.Text)
		}
	case events.ModelFailed:
		m.Requests.answered(p.Request)
	case events.ModelDenied:
		m.Requests.answered(p.Request)
	}
	return m
}

func (m *mma) view() MMAStatus {
	v := MMAStatus{
		MMAStatus: m.Phase.State, AIStatus: m.Activity.status(), ActiveTrack: m.Board.Active,
		ActiveTickets: []TicketState{}, StepMode: m.StepMode,
		Tracks: trackStates(m.Board.Tracks), ProposedTracks: trackStates(m.Board.Proposed), MMAStreams: m.Streams.texts(),
	}
	if tr := m.Board.track(m.Board.Active); tr != nil {
		v.ActiveTickets = ticketStates(tr.Tickets)
	}
	if tier := m.Activity.LastTier; tier > 0 && (v.MMAStatus == Planning || v.MMAStatus == Executing) {
		name := tierName(tier)
		v.ActiveTier = &name
	}
	// order-independent: sets flags only
	for _, gate := range m.Asks {
		v.PendingToolApproval = v.PendingToolApproval || slices.Contains(GatesOf(PendingTool), gate)
		v.PendingMMAStepApproval = v.PendingMMAStepApproval || slices.Contains(GatesOf(PendingStep), gate)
		v.PendingMMASpawnApproval = v.PendingMMASpawnApproval || slices.Contains(GatesOf(PendingSpawn), gate)
	}
	v.PendingApproval = v.PendingMMAStepApproval || v.PendingToolApproval
	v.PendingSpawn = v.PendingMMASpawnApproval
	return v
}

// tierName returns the original system's name of a tier; empty if there is none.
func tierName(tier int) string {
	if tier < 1 || tier > 4 {
		return ""
	}
	return [...]string{"Tier 1", "Tier 2", "Tier 3", "Tier 4"}[tier-1]
}

// MMAStatus returns the state of the four tiers.
func (s *Set) MMAStatus() MMAStatus { return stateOf(s, mmaStatus).view() }

// StreamText returns the complete text of one stream so far; empty if there is none.
func (s *Set) StreamText(id string) string {
	if st := stateOf(s, mmaStatus).Streams[id]; st != nil {
		return st.text()
	}
	return ""
}

// streams is a fold of the text that models wrote, by stream id.
type streams map[string]*stream

// stream is the text of a stream's current work. It starts over with a later attempt at a ticket,
// or with the next goal or track of a planning tier.
type stream struct {
	Work  string   `json:"work"`
	Parts []string `json:"parts"` // texts of the replies, oldest first
}

// replied adds the text of a reply that counts.
func (s streams) replied(q request, text string) {
	if text == "" {
		return
	}
	work := workOf(q)
	st := s[q.Stream]
	if st == nil {
		st = &stream{Work: work}
		s[q.Stream] = st
	}
	if st.Work != work {
		st.Work, st.Parts = work, nil
	}
	st.Parts = append(st.Parts, text)
}

// workOf returns a key for the work of a request. Tier 4 handles calls of all tickets in one
// stream, which never starts over.
func workOf(q request) string {
	if q.Call != "" {
		return ""
	}
	if q.Ticket != "" {
		return q.Ticket + "#" + strconv.Itoa(q.TicketAttempt)
	}
	return q.Goal + "/" + q.Track
}

// text returns the complete text of a stream, with each reply on its own line.
func (s *stream) text() string { return strings.Join(s.Parts, "\n") }

// texts returns the complete text of every stream.
func (s streams) texts() map[string]string {
	out := make(map[string]string, len(s))
	// order-independent: each key is written once to another map
	for id, st := range s {
		out[id] = st.text()
	}
	return out
}

// States of a session in mma_status.
const (
	Idle      = "idle"      // no goal is running
	Planning  = "planning"  // a goal or a track is being divided
	Executing = "executing" // tickets are running
	Done      = "done"      // every goal is completed
)

// phase is a fold of the session's state.
type phase struct {
	State string          `json:"state"`
	Goals map[string]bool `json:"goals,omitempty"` // goals that are neither completed nor failed
	Extra map[string]bool `json:"extra,omitempty"` // tracks without a goal; true while they are running
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

// close ends a goal. The state becomes next unless something else is open.
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

// rest records that a track without a goal is not running. The state becomes next unless something
// else is running.
func (p *phase) rest(track, next string) {
	if _, extra := p.Extra[track]; !extra {
		return
	}
	p.Extra[track] = false
	if len(p.Goals) == 0 && !p.extraWork() {
		p.State = next
	}
}

// extraWork reports whether a track without a goal is running.
func (p *phase) extraWork() bool {
	// order-independent: checks whether there is any
	for _, working := range p.Extra {
		if working {
			return true
		}
	}
	return false
}
