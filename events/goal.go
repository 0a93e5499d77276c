package events

import (
	"errors"
	"strings"

	"manualslop/events/chars"
)

// Limits of discussions that are attached to work.
const (
	// MaxTalkBytes limits the total size of the entries of an attached discussion, in bytes.
	MaxTalkBytes = 512 << 10
	// MaxTalks limits the discussions that are attached to one ticket or goal; further ones are ignored.
	MaxTalks = 8
)

// TalkAttached attaches a discussion, in its current state, to a goal or a ticket. It is shown to the tiers that plan
// the goal and to the workers of the ticket. For a new goal or ticket it precedes the event that requests it.
type TalkAttached struct {
	// To is the id of the GoalSubmitted or WorkerSpawnRequested, or of an existing ticket.
	To         string      `json:"to"`
	Discussion string      `json:"discussion"`
	Entries    []TurnEntry `json:"entries"`
}

// EventType returns the type name and version.
func (TalkAttached) EventType() Type { return Type{"TalkAttached", 1} }

// EventCorr returns the goal, request or ticket.
func (e TalkAttached) EventCorr() string { return e.To }

// Check returns why the discussion cannot be attached: a [LimitError] if it is too large, nil if it
// is valid.
func (e TalkAttached) Check() error {
	total := 0
	for _, n := range e.Entries {
		total += len(n.Text)
		if n.Text == "" && n.View != ViewImage {
			total += int(min(n.Size, MaxTalkBytes+1))
		}
	}
	switch {
	case e.To == "" || e.Discussion == "":
		return errors.New("it names no discussion, or nothing to attach it to")
	case len(e.Entries) == 0:
		return errors.New("the discussion is empty")
	case total > MaxTalkBytes:
		return LimitError{"the discussion", total, MaxTalkBytes, "bytes long"}
	}
	return TurnRequested{Discussion: e.Discussion, Text: "x", Entries: e.Entries}.Check()
}

// MaxOpened limits the entries of a ticket's conversation that are opened as a discussion; the oldest are left out.
const MaxOpened = 512

// ConversationOpened turns a ticket's conversation so far into a discussion: replies, results of calls and hints. A
// person continues it and gives it back with TalkAttached.
type ConversationOpened struct {
	Ticket     string `json:"ticket"`
	Discussion string `json:"discussion"` // the name of the new discussion
}

// EventType returns the type name and version.
func (ConversationOpened) EventType() Type { return Type{"ConversationOpened", 1} }

// EventCorr returns the ticket.
func (e ConversationOpened) EventCorr() string { return e.Ticket }

// maxTrackTitle limits the title of a track that a person requests, in bytes.
const maxTrackTitle = 80

// GoalTrack returns the only track of a goal that goes directly to the tech lead; goal is the id of the GoalSubmitted
// event.
func GoalTrack(goal, text string) Track {
	title, _, _ := strings.Cut(chars.Trim(text), "\n")
	if len(title) > maxTrackTitle {
		title = strings.ToValidUTF8(title[:maxTrackTitle], "")
	}
	return Track{ID: WorkerTrack(WorkerTicket(goal)), Title: title, Description: text}
}

// GoalSubmitted is a goal that a person submitted.
type GoalSubmitted struct {
	Goal string `json:"goal"`
	Solo bool   `json:"solo,omitempty"` // one ticket carries it out, without a plan
	Plan bool   `json:"plan,omitempty"` // the tickets of each track wait for a person's yes
	// Track means that the goal is one track, which tier 2 cuts into tickets without tier 1.
	Track bool `json:"track,omitempty"`
}

// EventType returns the type name and version.
func (GoalSubmitted) EventType() Type { return Type{"GoalSubmitted", 2} }

// Track is one part of a goal, with its own tech lead.
type Track struct {
	ID          string   `json:"id"`
	Title       string   `json:"title,omitempty"`
	Description string   `json:"description"`
	Modules     []string `json:"modules,omitempty"`
	Severity    string   `json:"severity,omitempty"`
	Persona     string   `json:"persona,omitempty"`
	Acceptance  []string `json:"acceptance,omitempty"`
}

// TracksProposed is tier 1's plan for a goal.
type TracksProposed struct {
	Goal   string  `json:"goal"` // id of GoalSubmitted
	Tracks []Track `json:"tracks"`
}

// EventType returns the type name and version.
func (TracksProposed) EventType() Type { return Type{"TracksProposed", 1} }

// EventCorr returns the goal.
func (e TracksProposed) EventCorr() string { return e.Goal }

// PlanSkipped says that tier 1 decided that a single ticket with the goal's own text is enough.
type PlanSkipped struct {
	Goal string `json:"goal"` // id of GoalSubmitted
}

// EventType returns the type name and version.
func (PlanSkipped) EventType() Type { return Type{"PlanSkipped", 1} }

// EventCorr returns the goal.
func (e PlanSkipped) EventCorr() string { return e.Goal }

// TracksAccepted is a person's acceptance of proposed tracks, needed if plan review is on.
type TracksAccepted struct {
	Goal   string   `json:"goal"`
	Tracks []string `json:"tracks,omitempty"` // ids; empty means all
}

// EventType returns the type name and version.
func (TracksAccepted) EventType() Type { return Type{"TracksAccepted", 1} }

// PlanningFailed says that tier 1 or 2 produced no usable plan in its last attempt.
type PlanningFailed struct {
	Tier     int    `json:"tier"`
	Goal     string `json:"goal"`
	Track    string `json:"track,omitempty"`
	Attempts int    `json:"attempts"`
	Error    string `json:"error"`
}

// EventType returns the type name and version.
func (PlanningFailed) EventType() Type { return Type{"PlanningFailed", 1} }

// TrackStarted starts a track. Tracks of a goal run one after another.
type TrackStarted struct {
	Goal  string `json:"goal"`
	Track Track  `json:"track"`
}

// EventType returns the type name and version.
func (TrackStarted) EventType() Type { return Type{"TrackStarted", 1} }

// EventCorr returns the track.
func (e TrackStarted) EventCorr() string { return e.Track.ID }

// TrackCompleted says that every ticket of the track is completed.
type TrackCompleted struct {
	Track string `json:"track"`
}

// EventType returns the type name and version.
func (TrackCompleted) EventType() Type { return Type{"TrackCompleted", 1} }

// EventCorr returns the track.
func (e TrackCompleted) EventCorr() string { return e.Track }

// TrackBlocked says that nothing in the track can continue without a person.
type TrackBlocked struct {
	Track  string `json:"track"`
	Reason string `json:"reason"`
}

// EventType returns the type name and version.
func (TrackBlocked) EventType() Type { return Type{"TrackBlocked", 1} }

// EventCorr returns the track.
func (e TrackBlocked) EventCorr() string { return e.Track }

// GoalCompleted says that every track is completed.
type GoalCompleted struct {
	Goal string `json:"goal"`
}

// EventType returns the type name and version.
func (GoalCompleted) EventType() Type { return Type{"GoalCompleted", 1} }

// EventCorr returns the goal.
func (e GoalCompleted) EventCorr() string { return e.Goal }

// GoalFailed says that the goal cannot be reached without a person.
type GoalFailed struct {
	Goal   string `json:"goal"`
	Reason string `json:"reason"`
}

// EventType returns the type name and version.
func (GoalFailed) EventType() Type { return Type{"GoalFailed", 1} }

// EventCorr returns the goal.
func (e GoalFailed) EventCorr() string { return e.Goal }

func goalDefs() []Def {
	track := Track{ID: "TR-1", Title: "Parser", Description: "Mend the parser", Modules: []string{"parse"},
		Severity: "high"}
	return []Def{
		Define(Command, "person", "A person wants something done.", GoalSubmitted{Goal: "Mend the parser"}, optional),
		Define(Command, "person", "A person attached a discussion to a goal or a ticket.", TalkAttached{To: "01J",
			Discussion: "main", Entries: []TurnEntry{{Entry: "01H", Role: RoleUser, Text: "It fails on empty input."}}}),
		Define(Command, "person", "A person opened the conversation of a ticket as a discussion.",
			ConversationOpened{"T-003", "T-003"}),
		Define(Decision, "planner", "Tier 1 cut the goal into tracks.", TracksProposed{"01J", []Track{track}}),
		Define(Decision, "planner", "Tier 1 decided that one ticket is enough for the goal.", PlanSkipped{"01J"}),
		Define(Command, "person", "A person accepted proposed tracks.", TracksAccepted{"01J", []string{"TR-1"}}),
		Define(Decision, "planner, lead", "No usable plan came after the last attempt.", PlanningFailed{2, "01J", "TR-1", 3,
			"no JSON array"}),
		Define(Decision, "conductor", "A track was handed to its tech lead.", TrackStarted{"01J", track}),
		Define(Decision, "conductor", "Every ticket of a track is completed.", TrackCompleted{"TR-1"}),
		Define(Decision, "conductor", "A track cannot continue by itself.", TrackBlocked{"TR-1", "T-3 is blocked"}),
		Define(Decision, "conductor", "Every track of the goal is completed.", GoalCompleted{"01J"}),
		Define(Decision, "conductor", "The goal cannot be reached without a person.",
			GoalFailed{"01J", "track TR-1 is blocked"}),
	}
}
