package events

import (
	"cmp"
	"fmt"
)

// PatchTool is the tool of the engine's own that applies a proposed patch. No
// model is offered it.
const PatchTool = "apply_patch"

// PatchCall is the id of the call that applies the patch proposed by the event
// with this id.
func PatchCall(proposed string) string { return "patch-" + proposed }

// PatchRequested asks tier 4 for a patch that mends what made a shell call fail.
// qa answers with PatchProposed, which a person is asked about, or PatchSkipped.
type PatchRequested struct {
	Call string `json:"call"`
}

// EventType is the identity on the wire.
func (PatchRequested) EventType() Type { return Type{"PatchRequested", 1} }

// EventCorr is the call.
func (e PatchRequested) EventCorr() string { return e.Call }

// MaxPatch bounds a proposed patch in bytes.
const MaxPatch = 96 << 10

// PatchProposed is tier 4's patch, a unified diff. Nothing is changed before a
// person has seen what it would do and said yes.
type PatchProposed struct {
	Request string `json:"request"` // event id of PatchRequested
	Call    string `json:"call"`
	Ticket  string `json:"ticket"`
	Attempt int    `json:"attempt"`
	Patch   string `json:"patch"`
	// Workspace is the place in which the call failed; empty: the person's folder.
	Workspace string `json:"workspace,omitempty"`
}

// EventType is the identity on the wire.
func (PatchProposed) EventType() Type { return Type{"PatchProposed", 1} }

// EventCorr is the call.
func (e PatchProposed) EventCorr() string { return e.Call }

// PatchSkipped says why there is no patch.
type PatchSkipped struct {
	Request string `json:"request"`
	Call    string `json:"call"`
	Reason  string `json:"reason"`
}

// EventType is the identity on the wire.
func (PatchSkipped) EventType() Type { return Type{"PatchSkipped", 1} }

// EventCorr is the call.
func (e PatchSkipped) EventCorr() string { return e.Call }

func patchDefs() []Def {
	return []Def{
		Define(Command, "person", "Tier 4 is to propose a patch that mends a failed shell call.", PatchRequested{"01J-0"}),
		Define(Decision, "qa", "Tier 4's patch; a person is asked before it is applied.", PatchProposed{Request: "01K",
			Call: "01J-0", Ticket: "T-001", Attempt: 1, Patch: "--- a/a.go\n+++ b/a.go\n@@ -1 +1 @@\n-x\n+y\n"}),
		Define(Decision, "qa", "There is no patch, and why.", PatchSkipped{"01K", "01J-0",
			"the reply holds no unified diff"}),
	}
}

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
