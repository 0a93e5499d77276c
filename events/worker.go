package events

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"manualslop/events/chars"
)

// Limits of a worker that a person requests.
const (
	// MaxWorkerPrompt limits the prompt in bytes.
	MaxWorkerPrompt = 32 << 10
	// MaxWorkerContext limits the number of context paths.
	MaxWorkerContext = 64
	// MaxPathLength limits one path in bytes.
	MaxPathLength = 1 << 10
	// MaxTicketBytes limits a ticket in bytes of JSON.
	MaxTicketBytes = 128 << 10
)

// Priorities returns the priorities of a ticket, highest first.
func Priorities() []string { return []string{"high", "medium", "low"} }

// WorkerSpawnRequested asks for another worker with its own ticket, outside any goal. The ticket is treated like
// every other ticket.
type WorkerSpawnRequested struct {
	Prompt     string   `json:"prompt"`
	Context    []string `json:"context,omitempty"` // paths of files that the worker sees at the beginning
	TargetFile string   `json:"target_file,omitempty"`
	Model      string   `json:"model,omitempty"`    // replaces the tier's models
	Persona    string   `json:"persona,omitempty"`  // from the session's roster; empty means the tier's own
	Priority   string   `json:"priority,omitempty"` // empty means medium
	StepMode   bool     `json:"step_mode,omitempty"`
	// RequestID makes a repeated request harmless: of several requests with the same id, only the
	// first counts.
	RequestID string `json:"request_id,omitempty"`
}

// EventType returns the type name and version.
func (WorkerSpawnRequested) EventType() Type { return Type{"WorkerSpawnRequested", 1} }

// WorkerTicket returns the id of the ticket that a WorkerSpawnRequested leads to; request is the
// id of that event.
func WorkerTicket(request string) string {
	sum := sha256.Sum256([]byte("worker ticket\x00" + request))
	return "W-" + hex.EncodeToString(sum[:6])
}

// WorkerStream returns the key of a ticket's text in mma_streams.
func WorkerStream(ticket string) string { return "Tier 3 (Worker): " + ticket }

// WorkerTrack returns the id of the track of a worker's ticket.
func WorkerTrack(ticket string) string { return "TR-" + ticket }

// Ticket returns the requested ticket, with the given id.
func (r WorkerSpawnRequested) Ticket(id string) Ticket {
	t := Ticket{
		ID: id, Description: r.Prompt, Status: StatusTodo, AssignedTo: "tier3-worker", TargetFile: r.TargetFile,
		ContextRequirements: r.Context, DependsOn: []string{}, StepMode: r.StepMode, Priority: r.Priority,
		ModelOverride: r.Model, PersonaID: r.Persona,
	}
	if t.ContextRequirements == nil {
		t.ContextRequirements = []string{}
	}
	if t.Priority == "" {
		t.Priority = "medium"
	}
	return t
}

// Check returns why the request cannot be carried out: a [LimitError] if something is too large,
// nil if it is valid.
func (r WorkerSpawnRequested) Check() error {
	if len(r.RequestID) > MaxIDLength {
		return LimitError{"the request_id", len(r.RequestID), MaxIDLength, "bytes long"}
	}
	return r.Ticket("W").Check()
}

// Digest returns a digest of the request without its request_id: two requests with the same digest
// ask for the same.
func (r WorkerSpawnRequested) Digest() string {
	r.RequestID = ""
	b, err := json.Marshal(r)
	if err != nil {
		panic("events: " + err.Error()) // strings and a boolean cannot fail
	}
	return Digest(b)
}

// LimitError means that input from a person is too large.
type LimitError struct {
	What       string // such as "the prompt"
	Got, Limit int
	Unit       string // such as "bytes long"
}

// Error returns the size and the limit.
func (e LimitError) Error() string {
	return fmt.Sprintf("%s is %d %s, at most %d are allowed", e.What, e.Got, e.Unit, e.Limit)
}

// Check returns why a ticket that a person wrote cannot be carried out; it returns a [LimitError]
// if something is too large. It does not check references to other tickets.
func (t Ticket) Check() error {
	switch {
	case !ValidToken(t.ID):
		return fmt.Errorf("a ticket's id is 1 to %d characters of A-Z a-z 0-9 _ -", MaxToken)
	case chars.Trim(t.Description) == "":
		return errors.New("the prompt is missing")
	case len(t.Description) > MaxWorkerPrompt:
		return LimitError{"the prompt", len(t.Description), MaxWorkerPrompt, "bytes long"}
	case len(t.ContextRequirements) > MaxWorkerContext:
		return LimitError{"the context", len(t.ContextRequirements), MaxWorkerContext, "paths long"}
	case len(t.ModelOverride) > MaxModelName:
		return LimitError{"the model's name", len(t.ModelOverride), MaxModelName, "bytes long"}
	case strings.ContainsFunc(t.ModelOverride, func(r rune) bool { return !chars.Printable(r) }):
		return errors.New("the model's name holds characters that cannot be shown")
	case !slices.Contains(Priorities(), t.Priority):
		return errors.New("the priority is not high, medium or low")
	}
	return errors.Join(checkPersonaID(t.PersonaID), t.checkPaths(), t.checkSize())
}

func checkPersonaID(name string) error {
	if name != "" && !ValidToken(name) {
		return fmt.Errorf("a persona's name is 1 to %d characters of A-Z a-z 0-9 _ -", MaxToken)
	}
	return nil
}

func (t Ticket) checkPaths() error {
	paths := t.ContextRequirements
	if t.TargetFile != "" {
		paths = append(slices.Clone(paths), t.TargetFile)
	}
	for _, p := range paths {
		switch {
		case p == "":
			return errors.New("a path of the context is empty")
		case len(p) > MaxPathLength:
			return LimitError{"a path", len(p), MaxPathLength, "bytes long"}
		}
	}
	return nil
}

func (t Ticket) checkSize() error {
	b, err := json.Marshal(t)
	if err == nil && len(b) > MaxTicketBytes {
		err = LimitError{"the ticket", len(b), MaxTicketBytes, "bytes long as JSON"}
	}
	return err
}

// TicketsAdded adds a track that no goal asked for, with its tickets. It is equivalent to
// TrackStarted and TicketsPlanned together.
type TicketsAdded struct {
	Request   string   `json:"request"`              // id of WorkerSpawnRequested
	RequestID string   `json:"request_id,omitempty"` // as requested
	Track     Track    `json:"track"`
	Tickets   []Ticket `json:"tickets"`
}

// EventType returns the type name and version.
func (TicketsAdded) EventType() Type { return Type{"TicketsAdded", 1} }

// EventCorr returns the track.
func (e TicketsAdded) EventCorr() string { return e.Track.ID }

func workerDefs() []Def {
	ask := WorkerSpawnRequested{Prompt: "Mend the parser", Context: []string{"b.go"}, TargetFile: "a.go",
		Priority: "medium", RequestID: "r-1"}
	return []Def{
		Define(Command, "person", "One more worker, outside any goal.", ask),
		Define(Decision, "conductor", "A track without a goal, and its tickets.", TicketsAdded{"01J", "r-1",
			Track{ID: "TR-W-0a1b2c3d4e5f", Title: "Mend the parser", Description: "ada asked for this worker."},
			[]Ticket{ask.Ticket("W-0a1b2c3d4e5f")}}),
	}
}
