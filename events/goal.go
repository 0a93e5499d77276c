package events

// GoalSubmitted is a goal that a person submitted.
type GoalSubmitted struct {
	Goal string `json:"goal"`
	Solo bool   `json:"solo,omitempty"` // one ticket carries it out, without a plan
	Plan bool   `json:"plan,omitempty"` // the tickets of each track wait for a person's yes
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

// PlanSkipped says that tier 1 found one ticket with the goal's own text to be enough for the goal.
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
		Define(Decision, "planner", "Tier 1 cut the goal into tracks.", TracksProposed{"01J", []Track{track}}),
		Define(Decision, "planner", "Tier 1 found one ticket to be enough for the goal.", PlanSkipped{"01J"}),
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
