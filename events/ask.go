package events

import (
	"encoding/json"
	"time"
)

// Gates: the kinds of asks. An answer to one ask never answers another.
const (
	GateTool        = "tool"
	GateStep        = "step"
	GateSpawn       = "spawn"
	GateInterrupted = "interrupted"
	GateTrust       = "trust"
	GateBudget      = "budget"
	GateMerge       = "merge"    // work that could not be merged
	GateHTTP        = "http"     // posted to /api/ask
	GateInput       = "input"    // a question of an external MCP server during a call
	GatePlan        = "plan"     // the tickets of a track
	GateQuestion    = "question" // a question of a model that works on a ticket
)

// AskRaised asks a person a question. Its subject waits for the answer.
type AskRaised struct {
	Ask        string          `json:"ask"`
	Gate       string          `json:"gate"`
	Title      string          `json:"title"`
	Ticket     string          `json:"ticket,omitempty"`
	Call       string          `json:"call,omitempty"`
	Tool       string          `json:"tool,omitempty"`
	Args       json.RawMessage `json:"args,omitempty"`        // the whole payload
	ArgsSHA256 string          `json:"args_sha256,omitempty"` // of its canonical form
	Effect     string          `json:"effect,omitempty"`
	Diff       string          `json:"diff,omitempty"`
	DiffBlob   *BlobRef        `json:"diff_blob,omitempty"`
	Note       string          `json:"note,omitempty"` // why a person is asked, or what the preview reported
	// untrusted text that the conversation has read, if that is the reason for the ask; --yes does
	// not answer such an ask
	Taint     []string   `json:"taint,omitempty"`
	Attempt   int        `json:"attempt,omitempty"`
	Round     int        `json:"round,omitempty"`
	PostedBy  string     `json:"posted_by,omitempty"` // http: the program that posted it
	ExpiresAt *time.Time `json:"expires_at,omitempty"`
}

// EventType returns the type name and version.
func (AskRaised) EventType() Type { return Type{"AskRaised", 1} }

// EventCorr returns the ask.
func (e AskRaised) EventCorr() string { return e.Ask }

// EventTopic returns the gate.
func (a AskRaised) EventTopic() string { return Token(a.Gate) }

// A person's decisions, and outcomes of an ask.
const (
	Yes     = "yes"
	No      = "no"
	Expired = "expired"
)

// AskAnswered is a person's answer. A bare body {"ask","decision","reason"?,"args"?} is converted
// to this when it is read.
type AskAnswered struct {
	Ask      string          `json:"ask"`
	Decision string          `json:"decision"` // yes, no
	Reason   string          `json:"reason,omitempty"`
	Args     json.RawMessage `json:"args,omitempty"`     // edited arguments; only with yes
	Response json.RawMessage `json:"response,omitempty"` // for asks of /api/ask: passed on verbatim
}

// EventType returns the type name and version.
func (AskAnswered) EventType() Type { return Type{"AskAnswered", 1} }

// EventCorr returns the ask.
func (e AskAnswered) EventCorr() string { return e.Ask }

// AskSettled closes an ask: by the first valid answer or the timer, in stream order. It is the
// complete record of the answer.
type AskSettled struct {
	Ask      string          `json:"ask"`
	Gate     string          `json:"gate"`
	Outcome  string          `json:"outcome"` // yes, no, expired
	By       string          `json:"by"`
	AnswerID string          `json:"answer_id"`
	Reason   string          `json:"reason,omitempty"`
	Args     json.RawMessage `json:"args,omitempty"`
	Response json.RawMessage `json:"response,omitempty"`
	At       time.Time       `json:"at"`
}

// EventType returns the type name and version.
func (AskSettled) EventType() Type { return Type{"AskSettled", 1} }

// EventCorr returns the ask.
func (e AskSettled) EventCorr() string { return e.Ask }

// EventTopic returns the gate.
func (a AskSettled) EventTopic() string { return Token(a.Gate) }

// AnswerRefused tells the author of an answer why it does not count and, if the ask is already settled, who settled
// it and when.
type AnswerRefused struct {
	Ask       string     `json:"ask"`
	AnswerID  string     `json:"answer_id"`
	Author    string     `json:"author"`
	Reason    string     `json:"reason"`
	SettledBy string     `json:"settled_by,omitempty"`
	SettledAt *time.Time `json:"settled_at,omitempty"`
}

// EventType returns the type name and version.
func (AnswerRefused) EventType() Type { return Type{"AnswerRefused", 1} }

// EventCorr returns the ask.
func (e AnswerRefused) EventCorr() string { return e.Ask }

// AskPosted is a question that a program posted to /api/ask; approval raises the ask.
type AskPosted struct {
	RequestID  string          `json:"request_id"`
	Data       json.RawMessage `json:"data"`
	BodySHA256 string          `json:"body_sha256"`
	TimeoutMS  int64           `json:"timeout_ms"`
}

// EventType returns the type name and version.
func (AskPosted) EventType() Type { return Type{"AskPosted", 1} }

// EventCorr returns the ask.
func (e AskPosted) EventCorr() string { return e.RequestID }

// TimerFired says that an ask has reached its expiry time.
type TimerFired struct {
	Ask string    `json:"ask"`
	Due time.Time `json:"due"`
}

// EventType returns the type name and version.
func (TimerFired) EventType() Type { return Type{"TimerFired", 1} }

// EventCorr returns the ask.
func (e TimerFired) EventCorr() string { return e.Ask }

// SpawnApproved allows an attempt at a ticket to start.
type SpawnApproved struct {
	Ticket  string `json:"ticket"`
	Attempt int    `json:"attempt"`
	Prompt  string `json:"prompt,omitempty"` // edited by the person; empty means as requested
	// Files are edited by the person; null means as requested.
	Files []string `json:"files,omitzero"`
	By    string   `json:"by"`
	Ask   string   `json:"ask,omitempty"`
}

// EventType returns the type name and version.
func (SpawnApproved) EventType() Type { return Type{"SpawnApproved", 2} }

// EventCorr returns the ticket.
func (e SpawnApproved) EventCorr() string { return e.Ticket }

// SpawnDenied denies the start of an attempt at a ticket.
type SpawnDenied struct {
	Ticket  string `json:"ticket"`
	Attempt int    `json:"attempt"`
	Reason  string `json:"reason"`
	By      string `json:"by"`
	Ask     string `json:"ask,omitempty"`
}

// EventType returns the type name and version.
func (SpawnDenied) EventType() Type { return Type{"SpawnDenied", 1} }

// EventCorr returns the ticket.
func (e SpawnDenied) EventCorr() string { return e.Ticket }

// StepApproved allows a round to continue, with the person's edits.
type StepApproved struct {
	Ticket   string     `json:"ticket"`
	Attempt  int        `json:"attempt"`
	Round    int        `json:"round"`
	Messages []StepEdit `json:"messages,omitempty"` // the edited ones
	Calls    []StepCall `json:"calls,omitempty"`    // those with edited arguments
	Dropped  []string   `json:"dropped,omitempty"`  // ids of calls that do not run
	By       string     `json:"by"`
	Ask      string     `json:"ask,omitempty"`
}

// EventType returns the type name and version.
func (StepApproved) EventType() Type { return Type{"StepApproved", 2} }

// EventCorr returns the ticket.
func (e StepApproved) EventCorr() string { return e.Ticket }

// StepDenied ends the attempt before the round.
type StepDenied struct {
	Ticket  string `json:"ticket"`
	Attempt int    `json:"attempt"`
	Round   int    `json:"round"`
	Reason  string `json:"reason"`
	By      string `json:"by"`
	Ask     string `json:"ask,omitempty"`
}

// EventType returns the type name and version.
func (StepDenied) EventType() Type { return Type{"StepDenied", 1} }

// EventCorr returns the ticket.
func (e StepDenied) EventCorr() string { return e.Ticket }

// QuestionRequested is a model's question to a person. The model cannot continue without the answer.
type QuestionRequested struct {
	Ticket  string   `json:"ticket"`
	Attempt int      `json:"attempt"`
	Round   int      `json:"round"`
	Text    string   `json:"text"`
	Choices []string `json:"choices,omitempty"` // proposed answers; any other one is valid, too
}

// EventType returns the type name and version.
func (QuestionRequested) EventType() Type { return Type{"QuestionRequested", 1} }

// EventCorr returns the ticket.
func (e QuestionRequested) EventCorr() string { return e.Ticket }

// QuestionAnswered is a person's answer to a model's question.
type QuestionAnswered struct {
	Ticket  string `json:"ticket"`
	Attempt int    `json:"attempt"`
	Round   int    `json:"round"`
	Answer  string `json:"answer,omitempty"` // empty: nobody answered
	By      string `json:"by"`
	Reason  string `json:"reason,omitempty"` // why nobody answered
	Ask     string `json:"ask,omitempty"`
}

// EventType returns the type name and version.
func (QuestionAnswered) EventType() Type { return Type{"QuestionAnswered", 1} }

// EventCorr returns the ticket.
func (e QuestionAnswered) EventCorr() string { return e.Ticket }

func askDefs() []Def {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return []Def{
		Define(Decision, "approval", "A person is asked a question, and something waits for the "+
			"answer.", AskRaised{Ask: "01K", Gate: GateTool,
			Title: "edit_file a.go", Ticket: "T-001", Call: "01J-0",
			Tool: "edit_file", Args: json.RawMessage(`{"path":"a.go"}`), ArgsSHA256: "ab", Effect: "writes", Diff: "-a\n+b\n"}),
		Define(Command, "person", "A person's answer to an ask.", AskAnswered{Ask: "01K", Decision: No,
			Reason: "not this file"}),
		Define(Decision, "approval", "An ask is closed; the complete record of its answer.", AskSettled{Ask: "01K",
			Gate: GateTool, Outcome: No, By: "ada", AnswerID: "01L", Reason: "not this file", At: at}),
		Define(Decision, "approval", "An answer was not accepted.", AnswerRefused{"01K", "01M", "bob", "already " +
			"settled", "ada",
			&at}),
		Define(Command, "gateway, agent, person", "A program posted a question to /api/ask.",
			AskPosted{"r-1", json.RawMessage(`{"tool":"x"}`), "ab", 60000}),
		Define(Outcome, "timers", "A time that an event named has come.", TimerFired{"01K", at}),
		Define(Decision, "approval", "An attempt at a ticket may start.", SpawnApproved{Ticket: "T-001",
			Attempt: 1, Files: []string{"a.go:skeleton"}, By: "ada", Ask: "01K"}, optional),
		Define(Decision, "approval", "An attempt at a ticket may not start.", SpawnDenied{"T-001", 1, "later", "ada", "01K"}),
		Define(Decision, "contributor", "A model asks a person, and waits for the answer.", QuestionRequested{"T-001", 1, 2,
			"Which API?", []string{"v1", "v2"}}),
		Define(Decision, "approval", "A person answered a model, or nobody did.", QuestionAnswered{Ticket: "T-001",
			Attempt: 1, Round: 2, Answer: "v2", By: "ada", Ask: "01K"}),
		Define(Decision, "approval", "A round may continue.", StepApproved{Ticket: "T-001", Attempt: 1, Round: 2,
			Messages: []StepEdit{{Part: 4, Text: "ok"}}, By: "ada", Ask: "01K"}, optional),
		Define(Decision, "approval", "The attempt ends before this round.", StepDenied{"T-001", 1, 2, "enough", "ada",
			"01K"}),
	}
}
