package events

import "encoding/json"

// Ticket statuses, spelled as in the original system.
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
	Proof               string   `json:"check,omitempty"` // the command that proves that it is done
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

// EventType returns the type name and version.
func (TicketsPlanned) EventType() Type { return Type{"TicketsPlanned", 1} }

// EventCorr returns the track.
func (e TicketsPlanned) EventCorr() string { return e.Track }

// PlanProposed is tier 2's plan of a track that waits for a person's answer.
type PlanProposed struct {
	Goal    string   `json:"goal"`
	Track   string   `json:"track"`
	Tickets []Ticket `json:"tickets"`
	// Fault is why the tickets that a person wrote cannot be planned.
	Fault string `json:"fault,omitempty"`
}

// EventType returns the type name and version.
func (PlanProposed) EventType() Type { return Type{"PlanProposed", 1} }

// EventCorr returns the track.
func (e PlanProposed) EventCorr() string { return e.Track }

// PlanAnswered is a person's answer to a proposed plan. A rejection with a reason asks for another plan.
type PlanAnswered struct {
	Plan    string   `json:"plan"` // id of PlanProposed
	Track   string   `json:"track"`
	Outcome string   `json:"outcome"`           // yes or no
	Tickets []Ticket `json:"tickets,omitempty"` // the tickets that the person wrote instead
	Reason  string   `json:"reason,omitempty"`
	By      string   `json:"by"`
	Ask     string   `json:"ask"`
}

// EventType returns the type name and version.
func (PlanAnswered) EventType() Type { return Type{"PlanAnswered", 1} }

// EventCorr returns the track.
func (e PlanAnswered) EventCorr() string { return e.Track }

// TicketReady says that all dependencies of a todo ticket are completed.
type TicketReady struct {
	Ticket string `json:"ticket"`
}

// EventType returns the type name and version.
func (TicketReady) EventType() Type { return Type{"TicketReady", 1} }

// EventCorr returns the ticket.
func (e TicketReady) EventCorr() string { return e.Ticket }

// SpawnRequested asks to start a ready ticket; approval answers with
// SpawnApproved or SpawnDenied, unless it is ungated.
type SpawnRequested struct {
	Ticket  string `json:"ticket"`
	Attempt int    `json:"attempt"` // counted from 1
	Model   string `json:"model"`
	Prompt  string `json:"prompt"` // the ticket's description, which the person may edit
	// Files are the files that the ticket shows at the beginning, each as PATH or PATH:VIEW; the
	// person may edit them. Since decision version 3 of the conductor.
	Files []string `json:"files,omitempty"`
	// Ungated means that the session needs no approval to start tickets, so the start follows
	// without an answer of approval. Since decision version 2 of the conductor.
	Ungated bool `json:"ungated,omitzero"`
}

// EventType returns the type name and version.
func (SpawnRequested) EventType() Type { return Type{"SpawnRequested", 2} }

// EventCorr returns the ticket.
func (e SpawnRequested) EventCorr() string { return e.Ticket }

// TicketStarted starts one attempt at a ticket. Each attempt starts from nothing: nothing of an
// earlier one reaches the model.
type TicketStarted struct {
	Track   string `json:"track"`
	Ticket  Ticket `json:"ticket"` // in its current state
	Attempt int    `json:"attempt"`
	Model   string `json:"model"`
	Prompt  string `json:"prompt"` // the description, or the person's edited version
	// Files are what the person who approved the start wants shown at the beginning instead of the
	// ticket's own files; null means the ticket's own.
	Files []string `json:"files,omitzero"`
	// Workspace is the workspace of the attempt; empty means the person's folder.
	Workspace string `json:"workspace,omitempty"`
}

// EventType returns the type name and version.
func (TicketStarted) EventType() Type { return Type{"TicketStarted", 2} }

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
	// Changes are the files that the attempt's calls changed, with their earlier and current
	// states, by path; at most MaxReviewFiles.
	Changes []FileChange `json:"changes,omitempty"`
	// Unchanged means that the ticket names a file but no change was seen. Done is then a claim
	// that a review must judge.
	Unchanged bool `json:"unchanged,omitempty"`
	// Checked is the result of the ticket's check: "passed", or why it did not run.
	Checked string `json:"checked,omitempty"`
	Final   bool   `json:"final,omitempty"` // blocked by a person's no, so there is no automatic retry
}

// EventType returns the type name and version.
func (TicketResolved) EventType() Type { return Type{"TicketResolved", 1} }

// EventCorr returns the ticket.
func (e TicketResolved) EventCorr() string { return e.Ticket }

// TicketCompleted says that a ticket is done.
type TicketCompleted struct {
	Ticket string `json:"ticket"`
}

// EventType returns the type name and version.
func (TicketCompleted) EventType() Type { return Type{"TicketCompleted", 1} }

// EventCorr returns the ticket.
func (e TicketCompleted) EventCorr() string { return e.Ticket }

// Kinds of blocks. They are distinguished so that each can only be undone in the right way.
const (
	BlockWorker     = "worker"     // the attempt gave up
	BlockDependency = "dependency" // a ticket it depends on is blocked
	BlockManual     = "manual"     // a person blocked it
	BlockKilled     = "killed"     // a person killed its attempt
	BlockDenied     = "denied"     // a person refused its start or one of its rounds
	BlockWorkspace  = "workspace"  // its workspace could not be created
	BlockMerge      = "merge"      // a person gave up merging its work, which stays where it is
)

// TicketBlocked says that a ticket is blocked, and why.
type TicketBlocked struct {
	Ticket string `json:"ticket"`
	Kind   string `json:"kind"`
	Reason string `json:"reason"`
}

// EventType returns the type name and version.
func (TicketBlocked) EventType() Type { return Type{"TicketBlocked", 1} }

// EventCorr returns the ticket.
func (e TicketBlocked) EventCorr() string { return e.Ticket }

// TicketUnblocked sets a blocked ticket back to todo.
type TicketUnblocked struct {
	Ticket string `json:"ticket"`
}

// EventType returns the type name and version.
func (TicketUnblocked) EventType() Type { return Type{"TicketUnblocked", 1} }

// EventCorr returns the ticket.
func (e TicketUnblocked) EventCorr() string { return e.Ticket }

// TicketRetried sets a ticket back to todo for another attempt.
type TicketRetried struct {
	Ticket     string `json:"ticket"`
	RetryCount int    `json:"retry_count"`
	Reason     string `json:"reason"`
}

// EventType returns the type name and version.
func (TicketRetried) EventType() Type { return Type{"TicketRetried", 1} }

// EventCorr returns the ticket.
func (e TicketRetried) EventCorr() string { return e.Ticket }

// TicketKilled ends the running attempt of a ticket: its calls are cancelled and nothing more is
// sent for it. TicketBlocked of kind killed follows.
type TicketKilled struct {
	Ticket  string `json:"ticket"`
	Attempt int    `json:"attempt"`
	By      string `json:"by"`
}

// EventType returns the type name and version.
func (TicketKilled) EventType() Type { return Type{"TicketKilled", 1} }

// EventCorr returns the ticket.
func (e TicketKilled) EventCorr() string { return e.Ticket }

// StepRequested asks for approval of the next step in step mode: the next request to the model, with its new messages,
// or the calls of the reply.
type StepRequested struct {
	Ticket  string `json:"ticket"`
	Attempt int    `json:"attempt"`
	Round   int    `json:"round"`
	Summary string `json:"summary"`
	// Messages and Calls: since decision version 3 of the contributor.
	Messages []StepMessage `json:"messages,omitempty"`
	Calls    []StepCall    `json:"calls,omitempty"`
}

// StepMessage is a new message of a request: the model reads Prefix, Text and Suffix. The person may edit Text.
type StepMessage struct {
	Part   int    `json:"part"` // its place in the prompt
	Call   string `json:"call,omitempty"`
	Prefix string `json:"prefix,omitempty"`
	Text   string `json:"text,omitempty"`
	Suffix string `json:"suffix,omitempty"`
	// Size is the length in bytes of a text that is not shown because it does not fit here.
	Size int64 `json:"size,omitempty"`
}

// StepCall is a call of a reply. The person may edit its arguments.
type StepCall struct {
	Call string          `json:"call"`
	Tool string          `json:"tool"`
	Args json.RawMessage `json:"args"`
}

// StepEdit is a person's replacement for the text of a message.
type StepEdit struct {
	Part int    `json:"part"`
	Text string `json:"text"`
}

// EventType returns the type name and version.
func (StepRequested) EventType() Type { return Type{"StepRequested", 2} }

// EventCorr returns the ticket.
func (e StepRequested) EventCorr() string { return e.Ticket }

func ticketDefs() []Def {
	t := Ticket{ID: "T-001", Description: "Mend", Status: StatusTodo, AssignedTo: "tier3-worker", TargetFile: "a.go",
		Proof:               "go test .",
		ContextRequirements: []string{"b.go"}, DependsOn: []string{"T-000"}, Priority: "medium"}
	return []Def{
		Define(Decision, "lead", "Tier 2 cut a track into a graph of tickets.", TicketsPlanned{"TR-1", []Ticket{t}}),
		Define(Decision, "lead", "A plan of tier 2 waits for a person.", PlanProposed{"01K", "TR-1", []Ticket{t}, "a cycle"}),
		Define(Decision, "approval", "A person answered a plan, or nobody did.", PlanAnswered{"01K", "TR-1", Yes, []Ticket{t},
			"shorter", "ada", "01M"}),
		Define(Decision, "conductor", "A ticket's dependencies are all completed.", TicketReady{"T-001"}),
		Define(Decision, "conductor", "A ready ticket is about to start.", SpawnRequested{Ticket: "T-001", Attempt: 1,
			Model: "m", Prompt: "Mend", Files: []string{"a.go:raw", "b.go"}}, optional),
		Define(Decision, "conductor", "An attempt at a ticket begins with a clean "+
			"conversation.", TicketStarted{Track: "TR-1", Ticket: t,
			Attempt: 1, Model: "m", Prompt: "Mend"}, optional),
		Define(Decision, "contributor", "An attempt at a ticket ended.", TicketResolved{Ticket: "T-001", Attempt: 1,
			Outcome: ResolvedDone, Text: "Done.", Changes: []FileChange{{Path: "a.go", Before: "ab", After: "cd"}}}),
		Define(Decision, "conductor", "A ticket is done.", TicketCompleted{"T-001"}),
		Define(Decision, "conductor", "A ticket waits for a person.", TicketBlocked{"T-001", BlockDependency,
			"T-000 is blocked"}),
		Define(Decision, "conductor", "A blocked ticket is set back to todo.", TicketUnblocked{"T-001"}),
		Define(Decision, "conductor", "A ticket gets another attempt.", TicketRetried{"T-001", 1, "no such file"}),
		Define(Decision, "conductor", "The running attempt was ended by a person.", TicketKilled{"T-001", 1, "ada"}),
		Define(Decision, "contributor", "A round waits for a person's approval.", StepRequested{Ticket: "T-001",
			Attempt: 1, Round: 2, Summary: "2 results go to m", Messages: []StepMessage{{Part: 4, Call: "01J-0", Text: "ok"}}},
			optional),
	}
}

// Verdicts of a review.
const (
	ReviewApproved = "approve"
	ReviewSentBack = "send_back"
	ReviewSkipped  = "skipped" // there was no review; Reasons say why
)

// MaxReviewFiles limits how many files a TicketResolved and a ReviewRequested name.
const MaxReviewFiles = 200

// ReviewRequested asks tier 2 to review the changes of an attempt at a ticket, before the ticket
// is completed.
type ReviewRequested struct {
	Track   string       `json:"track"`
	Ticket  Ticket       `json:"ticket"`
	Attempt int          `json:"attempt"`
	Text    string       `json:"text,omitempty"` // the contributor's final report, cut
	Changes []FileChange `json:"changes,omitempty"`
	// Workspace is the workspace of the attempt; empty means the person's folder.
	Workspace string `json:"workspace,omitempty"`
}

// EventType returns the type name and version.
func (ReviewRequested) EventType() Type { return Type{"ReviewRequested", 1} }

// EventCorr returns the ticket.
func (e ReviewRequested) EventCorr() string { return e.Ticket.ID }

// TicketReviewed is tier 2's verdict on an attempt.
type TicketReviewed struct {
	Ticket  string   `json:"ticket"`
	Attempt int      `json:"attempt"`
	Verdict string   `json:"verdict"` // approve, send_back, skipped
	Reasons []string `json:"reasons,omitempty"`
}

// EventType returns the type name and version.
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
