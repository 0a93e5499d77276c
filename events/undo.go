package events

import (
	"cmp"
	"fmt"
)

// RestoreTool is the tool of the engine's own by which an undo writes. No model
// is offered it, and only an undo is approved for it.
const RestoreTool = "restore_files"

// UndoCall is the id of the call that carries out the undo with this event id.
func UndoCall(request string) string { return "undo-" + request }

// UndoRequested asks to give files the content that they had before a call,
// before everything that a ticket did, or at a position of the log. Exactly one
// of its members is set. Approval answers with ToolApproved for [RestoreTool],
// under the call [UndoCall], or with UndoRefused.
type UndoRequested struct {
	Call   string `json:"call,omitempty"`
	Ticket string `json:"ticket,omitempty"`
	ToSeq  uint64 `json:"to_seq,omitempty"` // undoes what was settled behind it
}

// EventType is the identity on the wire.
func (UndoRequested) EventType() Type { return Type{"UndoRequested", 1} }

// EventCorr is the call or the ticket.
func (e UndoRequested) EventCorr() string { return cmp.Or(e.Call, e.Ticket) }

// String is what is undone, in words.
func (e UndoRequested) String() string {
	switch {
	case e.Call != "":
		return "call " + e.Call
	case e.Ticket != "":
		return "ticket " + e.Ticket
	}
	return fmt.Sprintf("everything behind sequence %d", e.ToSeq)
}

// Check tells whether it names exactly one thing to undo; ErrSetting if not.
func (e UndoRequested) Check() error {
	named := 0
	for _, is := range []bool{e.Call != "", e.Ticket != "", e.ToSeq > 0} {
		if is {
			named++
		}
	}
	if named != 1 {
		return fmt.Errorf("%w: name one of a call, a ticket and a sequence to undo", ErrSetting)
	}
	return nil
}

// UndoRefused says why nothing was undone.
type UndoRefused struct {
	Request string `json:"request"` // event id
	Reason  string `json:"reason"`
}

// EventType is the identity on the wire.
func (UndoRefused) EventType() Type { return Type{"UndoRefused", 1} }

// EventCorr is the request.
func (e UndoRefused) EventCorr() string { return e.Request }

func undoDefs() []Def {
	return []Def{
		Define(Command, "person", "Files get back the content that they had.", UndoRequested{Ticket: "T-001"}),
		Define(Decision, "approval", "Nothing was undone, and why.", UndoRefused{"01J", "call 01J-0 changed no file"}),
	}
}
