package events

// Ticket states, as the original spells them.
const (
	StatusTodo       = "todo"
	StatusInProgress = "in_progress"
	StatusCompleted  = "completed"
	StatusBlocked    = "blocked"
)

// Ticket is one piece of work of a track.
type Ticket struct {
	ID                  string   `json:"id"`
	Description         string   `json:"description"`
	Status              string   `json:"status"`
	AssignedTo          string   `json:"assigned_to"`
	TargetFile          string   `json:"target_file,omitempty"`
	Proof               string   `json:"check,omitempty"` // the command that shows that it is done
	ContextRequirements []string `json:"context_requirements"`
	DependsOn           []string `json:"depends_on"`
	BlockedReason       string   `json:"blocked_reason,omitempty"`
	StepMode            bool     `json:"step_mode"`
	Priority            string   `json:"priority"` // high, medium, low
	ModelOverride       string   `json:"model_override,omitempty"`
	PersonaID           string   `json:"persona_id,omitempty"`
	RetryCount          int      `json:"retry_count"`
}

// TicketsPlanned is tier 2's plan of a track: a graph without a cycle.
type TicketsPlanned struct {
	Track   string   `json:"track"`
	Tickets []Ticket `json:"tickets"`
}

// EventType returns the identity on the wire.
func (TicketsPlanned) EventType() Type { return Type{"TicketsPlanned", 1} }

// EventCorr returns the track.
func (e TicketsPlanned) EventCorr() string { return e.Track }

// TicketReady says that a todo ticket's dependencies are all completed.
type TicketReady struct {
	Ticket string `json:"ticket"`
}

// EventType returns the identity on the wire.
func (TicketReady) EventType() Type { return Type{"TicketReady", 1} }

// EventCorr returns the ticket.
func (e TicketReady) EventCorr() string { return e.Ticket }

// SpawnRequested asks to start a ready ticket; approval answers with
// SpawnApproved or SpawnDenied, unless it is ungated.
type SpawnRequested struct {
	Ticket  string `json:"ticket"`
	Attempt int    `json:"attempt"` // from 1
	Model   string `json:"model"`
	Prompt  string `json:"prompt"` // the ticket's description, which the person may edit
	// Ungated says that the session asks nobody before a ticket starts. The start
	// follows without an answer of approval. Decisions conductor 2.
	Ungated bool `json:"ungated,omitzero"`
}

// EventType returns the identity on the wire.
func (SpawnRequested) EventType() Type { return Type{"SpawnRequested", 1} }

// EventCorr returns the ticket.
func (e SpawnRequested) EventCorr() string { return e.Ticket }

// TicketStarted begins one attempt at a ticket. Each attempt starts clean:
// nothing of an earlier one reaches the model.
type TicketStarted struct {
	Track   string `json:"track"`
	Ticket  Ticket `json:"ticket"` // as it stands now
	Attempt int    `json:"attempt"`
	Model   string `json:"model"`
	Prompt  string `json:"prompt"` // the description, or what the person made of it
	// Workspace names the place in which the attempt works; empty: the person's folder.
	Workspace string `json:"workspace,omitempty"`
}

// EventType returns the identity on the wire.
func (TicketStarted) EventType() Type { return Type{"TicketStarted", 1} }

// EventCorr returns the ticket.
func (e TicketStarted) EventCorr() string { return e.Ticket.ID }

// Outcomes of one attempt at a ticket.
const (
	ResolvedDone    = "done"
	ResolvedBlocked = "blocked"
)

// TicketResolved ends one attempt at a ticket.
type TicketResolved struct {
	Ticket  string `json:"ticket"`
	Attempt int    `json:"attempt"`
	Outcome string `json:"outcome"` // done, blocked
	Text    string `json:"text,omitempty"`
	Reason  string `json:"reason,omitempty"`
	// Changes are the files that the attempt's calls changed, as they were and as
	// they are, by path; at most MaxReviewFiles.
	Changes []FileChange `json:"changes,omitempty"`
	// Unchanged says that the ticket names a file and that nothing was changed, as
	// far as anybody saw. Done is then a claim that a review has to judge.
	Unchanged bool `json:"unchanged,omitempty"`
	// Checked is what became of the ticket's check: "passed", or why it did not run.
	Checked string `json:"checked,omitempty"`
	Final   bool   `json:"final,omitempty"` // blocked by a person's no: nobody tries again by himself
}

// EventType returns the identity on the wire.
func (TicketResolved) EventType() Type { return Type{"TicketResolved", 1} }

// EventCorr returns the ticket.
func (e TicketResolved) EventCorr() string { return e.Ticket }

// TicketCompleted says that a ticket is done.
type TicketCompleted struct {
	Ticket string `json:"ticket"`
}

// EventType returns the identity on the wire.
func (TicketCompleted) EventType() Type { return Type{"TicketCompleted", 1} }

// EventCorr returns the ticket.
func (e TicketCompleted) EventCorr() string { return e.Ticket }

// Kinds of block. They are told apart so that only the right hand undoes them.
const (
	BlockWorker     = "worker"     // the attempt gave up
	BlockDependency = "dependency" // a ticket it depends on is blocked
	BlockManual     = "manual"     // a person said so
	BlockKilled     = "killed"     // a person ended it
	BlockDenied     = "denied"     // a person refused its start or one of its rounds
	BlockWorkspace  = "workspace"  // there is no place of its own for it to work in
	BlockMerge      = "merge"      // a person gave up merging its work, which stays where it is
)

// TicketBlocked says that a ticket waits for a person.
type TicketBlocked struct {
	Ticket string `json:"ticket"`
	Kind   string `json:"kind"`
	Reason string `json:"reason"`
}

// EventType returns the identity on the wire.
func (TicketBlocked) EventType() Type { return Type{"TicketBlocked", 1} }

// EventCorr returns the ticket.
func (e TicketBlocked) EventCorr() string { return e.Ticket }

// TicketUnblocked puts a blocked ticket back to todo.
type TicketUnblocked struct {
	Ticket string `json:"ticket"`
}

// EventType returns the identity on the wire.
func (TicketUnblocked) EventType() Type { return Type{"TicketUnblocked", 1} }

// EventCorr returns the ticket.
func (e TicketUnblocked) EventCorr() string { return e.Ticket }

// TicketRetried puts a ticket back to todo for another attempt.
type TicketRetried struct {
	Ticket     string `json:"ticket"`
	RetryCount int    `json:"retry_count"`
	Reason     string `json:"reason"`
}

// EventType returns the identity on the wire.
func (TicketRetried) EventType() Type { return Type{"TicketRetried", 1} }

// EventCorr returns the ticket.
func (e TicketRetried) EventCorr() string { return e.Ticket }

// TicketKilled ends the running attempt of a ticket: its calls are cancelled
// and nothing more is sent for it. TicketBlocked of the kind killed follows.
type TicketKilled struct {
	Ticket  string `json:"ticket"`
	Attempt int    `json:"attempt"`
	By      string `json:"by"`
}

// EventType returns the identity on the wire.
func (TicketKilled) EventType() Type { return Type{"TicketKilled", 1} }

// EventCorr returns the ticket.
func (e TicketKilled) EventCorr() string { return e.Ticket }

// StepRequested asks before a round of a ticket in step mode.
type StepRequested struct {
	Ticket  string `json:"ticket"`
	Attempt int    `json:"attempt"`
	Round   int    `json:"round"`
	Summary string `json:"summary"`
}

// EventType returns the identity on the wire.
func (StepRequested) EventType() Type { return Type{"StepRequested", 1} }

// EventCorr returns the ticket.
func (e StepRequested) EventCorr() string { return e.Ticket }

func ticketDefs() []Def {
	t := Ticket{ID: "T-001", Description: "Mend", Status: StatusTodo, AssignedTo: "tier3-worker", TargetFile: "a.go",
		Proof:               "go test .",
		ContextRequirements: []string{"b.go"}, DependsOn: []string{"T-000"}, Priority: "medium"}
	return []Def{
		Define(Decision, "lead", "Tier 2 cut a track into a graph of tickets.", TicketsPlanned{"TR-1", []Ticket{t}}),
		Define(Decision, "conductor", "A ticket's dependencies are all completed.", TicketReady{"T-001"}),
		Define(Decision, "conductor", "A ready ticket is about to start.", SpawnRequested{Ticket: "T-001", Attempt: 1,
			Model: "m", Prompt: "Mend"}),
		Define(Decision, "conductor", "An attempt at a ticket begins with a clean "+
			"conversation.", TicketStarted{Track: "TR-1", Ticket: t,
			Attempt: 1, Model: "m", Prompt: "Mend"}),
		Define(Decision, "contributor", "An attempt at a ticket ended.", TicketResolved{Ticket: "T-001", Attempt: 1,
			Outcome: ResolvedDone, Text: "Done.", Changes: []FileChange{{Path: "a.go", Before: "ab", After: "cd"}}}),
		Define(Decision, "conductor", "A ticket is done.", TicketCompleted{"T-001"}),
		Define(Decision, "conductor", "A ticket waits for a person.", TicketBlocked{"T-001", BlockDependency,
			"T-000 is blocked"}),
		Define(Decision, "conductor", "A blocked ticket is set back to todo.", TicketUnblocked{"T-001"}),
		Define(Decision, "conductor", "A ticket gets another attempt.", TicketRetried{"T-001", 1, "no such file"}),
		Define(Decision, "conductor", "The running attempt was ended by a person.", TicketKilled{"T-001", 1, "ada"}),
		Define(Decision, "contributor", "A round waits for a person's approval.", StepRequested{"T-001", 1, 2,
			"2 results go to m"}),
	}
}

// Verdicts of a review.
const (
	ReviewApproved = "approve"
	ReviewSentBack = "send_back"
	ReviewSkipped  = "skipped" // nobody could review; Reasons say why
)

// MaxReviewFiles limits the files that a TicketResolved and a ReviewRequested
// name.
const MaxReviewFiles = 200

// ReviewRequested asks tier 2 to review what an attempt at a ticket changed,
// before the ticket is completed.
type ReviewRequested struct {
	Track   string       `json:"track"`
	Ticket  Ticket       `json:"ticket"`
	Attempt int          `json:"attempt"`
	Text    string       `json:"text,omitempty"` // the contributor's last word, cut
	Changes []FileChange `json:"changes,omitempty"`
	// Workspace is the place in which the attempt worked; empty: the person's folder.
	Workspace string `json:"workspace,omitempty"`
}

// EventType returns the identity on the wire.
func (ReviewRequested) EventType() Type { return Type{"ReviewRequested", 1} }

// EventCorr returns the ticket.
func (e ReviewRequested) EventCorr() string { return e.Ticket.ID }

// TicketReviewed is tier 2's word on an attempt.
type TicketReviewed struct {
	Ticket  string   `json:"ticket"`
	Attempt int      `json:"attempt"`
	Verdict string   `json:"verdict"` // approve, send_back, skipped
	Reasons []string `json:"reasons,omitempty"`
}

// EventType returns the identity on the wire.
func (TicketReviewed) EventType() Type { return Type{"TicketReviewed", 1} }

// EventCorr returns the ticket.
func (e TicketReviewed) EventCorr() string { return e.Ticket }

func reviewDefs() []Def {
	return []Def{
		Define(Decision, "conductor", "Tier 2 is asked to review what an attempt changed.", ReviewRequested{Track: "TR-1",
			Ticket: Ticket{ID: "T-001", Description: "Mend it", Status: StatusInProgress,
				Priority: "medium", ContextRequirements: []string{}, DependsOn: []string{}}, Attempt: 1, Text: "done",
			Changes: []FileChange{{Path: "a.go", Before: "ab", After: "cd"}}}),
		Define(Decision, "lead", "Tier 2's verdict on an attempt: approved, sent back, or not "+
			"reviewed.", TicketReviewed{"T-001",
			1, ReviewSentBack, []string{"no test"}}),
	}
}
