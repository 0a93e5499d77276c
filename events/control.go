package events

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"manualslop/events/chars"
)

// Limits of one change of the graph.
const (
	// MaxGraphOps limits the number of operations.
	MaxGraphOps = 256
	// MaxGraphBytes limits the size of all operations as JSON, in bytes.
	MaxGraphBytes = 256 << 10
	// MaxGraphDependencies limits the dependencies of one ticket.
	MaxGraphDependencies = 256
)

// Operations on the graph of tickets.
const (
	// GraphAddDependency makes a ticket depend on another one.
	GraphAddDependency = "add_dependency"
	// GraphRemoveDependency removes a dependency.
	GraphRemoveDependency = "remove_dependency"
	// GraphAddTicket adds a new ticket to a track.
	GraphAddTicket = "add_ticket"
	// GraphRemoveTicket removes a ticket that is not being worked on and that no
	// ticket depends on.
	GraphRemoveTicket = "remove_ticket"
	// GraphSetPriority changes the priority of a ticket.
	GraphSetPriority = "set_priority"
	// GraphSetModel sets a ticket's own model; empty resets it to the tier's list.
	GraphSetModel = "set_model"
	// GraphSetPersona sets the persona of a ticket, from the session's roster;
	// empty resets it to the tier's.
	GraphSetPersona = "set_persona"
	// GraphSetStepMode turns step mode, in which each round needs approval, on or
	// off for a ticket.
	GraphSetStepMode = "set_step_mode"
	// GraphSetDescription replaces the description of a ticket.
	GraphSetDescription = "set_description"
)

// GraphOps returns all operations on the graph.
func GraphOps() []string {
	return []string{
		GraphAddDependency, GraphRemoveDependency, GraphAddTicket, GraphRemoveTicket, GraphSetPriority, GraphSetModel,
		GraphSetPersona, GraphSetStepMode, GraphSetDescription,
	}
}

// GraphOp is one change of the graph of tickets.
type GraphOp struct {
	Op         string  `json:"op"`
	Ticket     string  `json:"ticket"`               // the ticket to change; for add_ticket its new id
	Dependency string  `json:"dependency,omitempty"` // add_dependency, remove_dependency
	Priority   string  `json:"priority,omitempty"`   // set_priority
	Model      string  `json:"model,omitempty"`      // set_model
	Persona    string  `json:"persona,omitempty"`    // set_persona
	StepMode   bool    `json:"step_mode,omitempty"`  // set_step_mode
	Track      string  `json:"track,omitempty"`      // add_ticket; empty means the track of its first dependency
	New        *Ticket `json:"new,omitempty"`        // add_ticket
	// Description is the new text of set_description.
	Description string `json:"description,omitempty"`
}

// GraphMutationRequested asks for changes of the graph; either all or none are made.
type GraphMutationRequested struct {
	Ops []GraphOp `json:"ops"` // in order; each sees the effects of the earlier ones
}

// EventType returns the type name and version.
func (GraphMutationRequested) EventType() Type { return Type{"GraphMutationRequested", 2} }

// Check returns why the operations are invalid for any graph; it returns a [LimitError] if they
// are too large.
func (r GraphMutationRequested) Check() error {
	switch {
	case len(r.Ops) == 0:
		return errors.New("there is no operation")
	case len(r.Ops) > MaxGraphOps:
		return LimitError{"the change", len(r.Ops), MaxGraphOps, "operations long"}
	}
	for i, op := range r.Ops {
		if err := op.check(); err != nil {
			return fmt.Errorf("operation %d: %w", i+1, err)
		}
	}
	b, err := json.Marshal(r)
	if err == nil && len(b) > MaxGraphBytes {
		err = LimitError{"the change", len(b), MaxGraphBytes, "bytes long as JSON"}
	}
	return err
}

func (op GraphOp) check() error {
	switch {
	case !slices.Contains(GraphOps(), op.Op):
		return errors.New("there is no such operation")
	case !ValidToken(op.Ticket):
		return errors.New("it names no ticket")
	}
	switch op.Op {
	case GraphAddDependency, GraphRemoveDependency:
		if !ValidToken(op.Dependency) {
			return errors.New("it names no dependency")
		}
	case GraphSetPriority:
		if !slices.Contains(Priorities(), op.Priority) {
			return errors.New("the priority is not high, medium or low")
		}
	case GraphSetModel:
		if len(op.Model) > MaxModelName {
			return LimitError{"the model's name", len(op.Model), MaxModelName, "bytes long"}
		}
		if strings.ContainsFunc(op.Model, func(r rune) bool { return !chars.Printable(r) }) {
			return errors.New("the model's name holds characters that cannot be shown")
		}
	case GraphSetPersona:
		return checkPersonaID(op.Persona)
	case GraphSetDescription:
		if chars.Trim(op.Description) == "" {
			return errors.New("the description is missing")
		}
		if len(op.Description) > MaxWorkerPrompt {
			return LimitError{"the description", len(op.Description), MaxWorkerPrompt, "bytes long"}
		}
	case GraphAddTicket:
		return op.checkNew()
	}
	return nil
}

func (op GraphOp) checkNew() error {
	switch {
	case op.New == nil:
		return errors.New("it holds no new ticket")
	case len(op.New.DependsOn) > MaxGraphDependencies:
		return LimitError{"the new ticket", len(op.New.DependsOn), MaxGraphDependencies, "dependencies long"}
	case len(op.New.ContextRequirements) > MaxWorkerContext:
		return LimitError{"the context", len(op.New.ContextRequirements), MaxWorkerContext, "paths long"}
	}
	for _, d := range op.New.DependsOn {
		if !ValidToken(d) {
			return errors.New("a dependency of the new ticket is no ticket's id")
		}
	}
	return op.Fresh().Check()
}

// Fresh returns the new ticket of an add_ticket as it is added to the graph: with status todo, and
// defaults for everything that was left out.
func (op GraphOp) Fresh() Ticket {
	t := *op.New
	t.ID, t.Status, t.BlockedReason, t.RetryCount = op.Ticket, StatusTodo, "", 0
	t.DependsOn, t.ContextRequirements = distinct(t.DependsOn), distinct(t.ContextRequirements)
	if t.AssignedTo == "" {
		t.AssignedTo = "tier3-worker"
	}
	if t.Priority == "" {
		t.Priority = "medium"
	}
	return t
}

// distinct returns the list without duplicates, never nil.
func distinct(list []string) []string {
	out := make([]string, 0, len(list))
	for _, s := range list {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// Change applies the operation to its ticket. Adding and removing tickets changes no ticket. Lists
// are copied, never modified.
func (op GraphOp) Change(t *Ticket) {
	switch op.Op {
	case GraphAddDependency:
		t.DependsOn = append(slices.Clone(t.DependsOn), op.Dependency)
	case GraphRemoveDependency:
		t.DependsOn = slices.DeleteFunc(slices.Clone(t.DependsOn), func(d string) bool { return d == op.Dependency })
	case GraphSetPriority:
		t.Priority = op.Priority
	case GraphSetModel:
		t.ModelOverride = op.Model
	case GraphSetPersona:
		t.PersonaID = op.Persona
	case GraphSetStepMode:
		t.StepMode = op.StepMode
	case GraphSetDescription:
		t.Description = op.Description
	}
}

// GraphMutated says that all of the operations were applied to the graph.
type GraphMutated struct {
	Request string    `json:"request"` // id of GraphMutationRequested
	By      string    `json:"by"`
	Ops     []GraphOp `json:"ops"` // in order; each add_ticket includes its track and the complete ticket
}

// EventType returns the type name and version.
func (GraphMutated) EventType() Type { return Type{"GraphMutated", 2} }

func graphDefs() []Def {
	ops := []GraphOp{{Op: GraphAddDependency, Ticket: "T-002", Dependency: "T-001"}, {Op: GraphSetPriority,
		Ticket: "T-002", Priority: "high"}}
	return []Def{
		Define(Command, "person", "Change the graph of tickets, all or nothing.", GraphMutationRequested{ops}, optional),
		Define(Decision, "conductor", "The graph of tickets was changed.", GraphMutated{"01J", "ada", ops}, optional),
	}
}

// PauseRequested asks that nothing new starts. Running tickets finish.
type PauseRequested struct{}

// EventType returns the type name and version.
func (PauseRequested) EventType() Type { return Type{"PauseRequested", 1} }

// ResumeRequested ends a pause.
type ResumeRequested struct{}

// EventType returns the type name and version.
func (ResumeRequested) EventType() Type { return Type{"ResumeRequested", 1} }

// KillRequested asks to end the running attempt of a ticket.
type KillRequested struct {
	Ticket string `json:"ticket"`
}

// EventType returns the type name and version.
func (KillRequested) EventType() Type { return Type{"KillRequested", 1} }

// RetryRequested asks for another attempt at a blocked ticket.
type RetryRequested struct {
	Ticket string `json:"ticket"`
	Note   string `json:"note,omitempty"` // as in [NoteRequested]
}

// EventType returns the type name and version.
func (RetryRequested) EventType() Type { return Type{"RetryRequested", 2} }

// BlockRequested asks to block a todo ticket manually.
type BlockRequested struct {
	Ticket string `json:"ticket"`
	Reason string `json:"reason"`
}

// EventType returns the type name and version.
func (BlockRequested) EventType() Type { return Type{"BlockRequested", 1} }

// UnblockRequested asks to unblock a ticket.
type UnblockRequested struct {
	Ticket string `json:"ticket"`
	Note   string `json:"note,omitempty"` // as in [NoteRequested]
}

// EventType returns the type name and version.
func (UnblockRequested) EventType() Type { return Type{"UnblockRequested", 2} }

// Limits of notes.
const (
	// MaxNote limits a note in bytes.
	MaxNote = 4 << 10
	// MaxNotes limits the notes to one ticket.
	MaxNotes = 32
)

// NoteRequested is a person's note on an unfinished ticket. The model reads it with its next
// request, and at the beginning of every later attempt.
type NoteRequested struct {
	Ticket string `json:"ticket"`
	Note   string `json:"note"`
}

// EventType returns the type name and version.
func (NoteRequested) EventType() Type { return Type{"NoteRequested", 1} }

// CheckNote returns why a note is invalid. It returns a [LimitError] if the note is too long.
func CheckNote(text string) error {
	if chars.Trim(text) == "" {
		return errors.New("the note is empty")
	}
	if len(text) > MaxNote {
		return LimitError{"the note", len(text), MaxNote, "bytes long"}
	}
	return nil
}

// TicketNoted says that a person's note belongs to a ticket.
type TicketNoted struct {
	Ticket string `json:"ticket"`
	By     string `json:"by"`
	Note   string `json:"note"`
}

// EventType returns the type name and version.
func (TicketNoted) EventType() Type { return Type{"TicketNoted", 1} }

// EventCorr returns the ticket.
func (e TicketNoted) EventCorr() string { return e.Ticket }

// StepModeSet turns step mode on or off for the session.
type StepModeSet struct {
	On bool `json:"on"`
}

// EventType returns the type name and version.
func (StepModeSet) EventType() Type { return Type{"StepModeSet", 1} }

// Paused says that no ticket starts until Resumed.
type Paused struct {
	By string `json:"by"`
}

// EventType returns the type name and version.
func (Paused) EventType() Type { return Type{"Paused", 1} }

// Resumed says that tickets start again.
type Resumed struct {
	By string `json:"by"`
}

// EventType returns the type name and version.
func (Resumed) EventType() Type { return Type{"Resumed", 1} }

// ControlRefused tells a person why a control request changed nothing.
type ControlRefused struct {
	Request string `json:"request"` // id of the request
	Kind    string `json:"kind"`    // type of the request
	Ticket  string `json:"ticket,omitempty"`
	Reason  string `json:"reason"`
}

// EventType returns the type name and version.
func (ControlRefused) EventType() Type { return Type{"ControlRefused", 1} }

func controlDefs() []Def {
	return []Def{
		Define(Command, "person", "Start nothing new.", PauseRequested{}),
		Define(Command, "person", "End a pause.", ResumeRequested{}),
		Define(Command, "person", "End a ticket's running attempt.", KillRequested{"T-001"}),
		Define(Command, "person", "Try a blocked ticket again.", RetryRequested{Ticket: "T-001"}, optional),
		Define(Command, "person", "Block a ticket by hand.", BlockRequested{"T-001", "waits for legal"}),
		Define(Command, "person", "Undo a block made by hand.", UnblockRequested{Ticket: "T-001"}, optional),
		Define(Command, "person", "Give a note to the model that works on a ticket.", NoteRequested{"T-001",
			"use the v2 API"}),
		Define(Command, "person", "Step mode on or off.", StepModeSet{true}),
		Define(Decision, "conductor", "No ticket starts until Resumed.", Paused{"ada"}),
		Define(Decision, "conductor", "Tickets can start again.", Resumed{"ada"}),
		Define(Decision, "conductor", "A person added a note to a "+
			"ticket.", TicketNoted{"T-001", "ada", "use the v2 API"}),
		Define(Decision, "conductor", "A control request changed nothing.", ControlRefused{"01J", "KillRequested", "T-001",
			"it is not running"}),
	}
}
