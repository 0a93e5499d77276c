package events

// PauseRequested asks for no new starts; running tickets finish.
type PauseRequested struct{}

// EventType is the identity on the wire.
func (PauseRequested) EventType() Type { return Type{"PauseRequested", 1} }

// ResumeRequested ends a pause.
type ResumeRequested struct{}

// EventType is the identity on the wire.
func (ResumeRequested) EventType() Type { return Type{"ResumeRequested", 1} }

// KillRequested asks to end the running attempt of a ticket.
type KillRequested struct {
	Ticket string `json:"ticket"`
}

// EventType is the identity on the wire.
func (KillRequested) EventType() Type { return Type{"KillRequested", 1} }

// RetryRequested asks for another attempt at a blocked ticket.
type RetryRequested struct {
	Ticket string `json:"ticket"`
}

// EventType is the identity on the wire.
func (RetryRequested) EventType() Type { return Type{"RetryRequested", 1} }

// BlockRequested asks to block a todo ticket by hand.
type BlockRequested struct {
	Ticket string `json:"ticket"`
	Reason string `json:"reason"`
}

// EventType is the identity on the wire.
func (BlockRequested) EventType() Type { return Type{"BlockRequested", 1} }

// UnblockRequested asks to undo a block made by hand.
type UnblockRequested struct {
	Ticket string `json:"ticket"`
}

// EventType is the identity on the wire.
func (UnblockRequested) EventType() Type { return Type{"UnblockRequested", 1} }

// StepModeSet turns step mode on or off for the session.
type StepModeSet struct {
	On bool `json:"on"`
}

// EventType is the identity on the wire.
func (StepModeSet) EventType() Type { return Type{"StepModeSet", 1} }

// Paused says that no ticket starts until Resumed.
type Paused struct {
	By string `json:"by"`
}

// EventType is the identity on the wire.
func (Paused) EventType() Type { return Type{"Paused", 1} }

// Resumed says that tickets start again.
type Resumed struct {
	By string `json:"by"`
}

// EventType is the identity on the wire.
func (Resumed) EventType() Type { return Type{"Resumed", 1} }

// ControlRefused tells a person why a control request changed nothing.
type ControlRefused struct {
	Request string `json:"request"` // event id
	Kind    string `json:"kind"`    // its type
	Ticket  string `json:"ticket,omitempty"`
	Reason  string `json:"reason"`
}

// EventType is the identity on the wire.
func (ControlRefused) EventType() Type { return Type{"ControlRefused", 1} }

func controlDefs() []Def {
	return []Def{
		Define(Command, "person", "Start nothing new.", PauseRequested{}),
		Define(Command, "person", "End a pause.", ResumeRequested{}),
		Define(Command, "person", "End a ticket's running attempt.", KillRequested{"T-001"}),
		Define(Command, "person", "Try a blocked ticket again.", RetryRequested{"T-001"}),
		Define(Command, "person", "Block a ticket by hand.", BlockRequested{"T-001", "waits for legal"}),
		Define(Command, "person", "Undo a block made by hand.", UnblockRequested{"T-001"}),
		Define(Command, "person", "Step mode on or off.", StepModeSet{true}),
		Define(Decision, "conductor", "No ticket starts until Resumed.", Paused{"ada"}),
		Define(Decision, "conductor", "Tickets start again.", Resumed{"ada"}),
		Define(Decision, "conductor", "A control request changed nothing.", ControlRefused{"01J", "KillRequested", "T-001",
			"it is not running"}),
	}
}
