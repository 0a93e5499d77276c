package events

import (
	"cmp"
	"fmt"
)

// PatchTool is the engine's internal tool that applies a proposed patch. It is
// not offered to models.
const PatchTool = "apply_patch"

// PatchCall returns the id of the call that applies a patch; proposed is the id of the
// PatchProposed event.
func PatchCall(proposed string) string { return "patch-" + proposed }

// PatchRequested asks tier 4 for a patch that fixes the cause of a failed shell call. qa answers
// with PatchProposed, which a person must approve, or with PatchSkipped.
type PatchRequested struct {
	Call string `json:"call"`
}

// EventType returns the type name and version.
func (PatchRequested) EventType() Type { return Type{"PatchRequested", 1} }

// EventCorr returns the call.
func (e PatchRequested) EventCorr() string { return e.Call }

// MaxPatch is the maximum size of a proposed patch in bytes.
const MaxPatch = 96 << 10

// PatchProposed is tier 4's patch, a unified diff. Nothing changes until a person has seen its effect and approved
// it.
type PatchProposed struct {
	Request string `json:"request"` // event id of PatchRequested
	Call    string `json:"call"`
	Ticket  string `json:"ticket"`
	Attempt int    `json:"attempt"`
	Patch   string `json:"patch"`
	// Workspace is the workspace in which the call failed; empty means the person's folder.
	Workspace string `json:"workspace,omitempty"`
}

// EventType returns the type name and version.
func (PatchProposed) EventType() Type { return Type{"PatchProposed", 1} }

// EventCorr returns the call.
func (e PatchProposed) EventCorr() string { return e.Call }

// PatchSkipped says why tier 4 proposed no patch.
type PatchSkipped struct {
	Request string `json:"request"`
	Call    string `json:"call"`
	Reason  string `json:"reason"`
}

// EventType returns the type name and version.
func (PatchSkipped) EventType() Type { return Type{"PatchSkipped", 1} }

// EventCorr returns the call.
func (e PatchSkipped) EventCorr() string { return e.Call }

func patchDefs() []Def {
	return []Def{
		Define(Command, "person", "Tier 4 is asked to propose a patch that fixes a failed shell "+
			"call.", PatchRequested{"01J-0"}),
		Define(Decision, "qa", "Tier 4's patch; a person is asked before it is applied.", PatchProposed{Request: "01K",
			Call: "01J-0", Ticket: "T-001", Attempt: 1, Patch: "--- a/a.go\n+++ b/a.go\n@@ -1 +1 @@\n-x\n+y\n"}),
		Define(Decision, "qa", "Says why no patch was proposed.", PatchSkipped{"01K", "01J-0",
			"the reply holds no unified diff"}),
	}
}

// RestoreTool is the engine's internal tool that carries out an undo. It is not
// offered to models and is approved only for an undo.
const RestoreTool = "restore_files"

// UndoCall returns the id of the call that carries out an undo; request is the id of the
// UndoRequested event.
func UndoCall(request string) string { return "undo-" + request }

// UndoRequested asks to restore files to their content before a call, before all work of a ticket,
// or at a position of the log. One of these is set, or only Path. Approval answers with
// ToolApproved for [RestoreTool], with the call id [UndoCall], or with UndoRefused.
type UndoRequested struct {
	Call   string `json:"call,omitempty"`
	Ticket string `json:"ticket,omitempty"`
	ToSeq  uint64 `json:"to_seq,omitempty"` // undoes what was settled after this sequence
	Path   string `json:"path,omitempty"`   // undoes only changes of this file; alone: all of the session
}

// EventType returns the type name and version.
func (UndoRequested) EventType() Type { return Type{"UndoRequested", 2} }

// EventCorr returns the call or the ticket.
func (e UndoRequested) EventCorr() string { return cmp.Or(e.Call, e.Ticket) }

// String returns a description of what is undone.
func (e UndoRequested) String() string {
	what := fmt.Sprintf("everything behind sequence %d", e.ToSeq)
	switch {
	case e.Call != "":
		what = "call " + e.Call
	case e.Ticket != "":
		what = "ticket " + e.Ticket
	case e.ToSeq == 0:
		what = "the session"
	}
	if e.Path != "" {
		what += " (only " + e.Path + ")"
	}
	return what
}

// Check returns ErrSetting unless the request sets exactly one of call, ticket and sequence, or only a path of at most
// MaxPathLength bytes.
func (e UndoRequested) Check() error {
	named := 0
	for _, is := range []bool{e.Call != "", e.Ticket != "", e.ToSeq > 0} {
		if is {
			named++
		}
	}
	if len(e.Path) > MaxPathLength {
		return fmt.Errorf("%w: %w", ErrSetting, LimitError{"path", len(e.Path), MaxPathLength, "bytes long"})
	}
	if named > 1 || named == 0 && e.Path == "" {
		return fmt.Errorf("%w: name one of a call, a ticket and a sequence to undo, or a file", ErrSetting)
	}
	return nil
}

// UndoRefused says why nothing was undone.
type UndoRefused struct {
	Request string `json:"request"` // event id of UndoRequested
	Reason  string `json:"reason"`
}

// EventType returns the type name and version.
func (UndoRefused) EventType() Type { return Type{"UndoRefused", 1} }

// EventCorr returns the request.
func (e UndoRefused) EventCorr() string { return e.Request }

// ChangeAccepted says that a person accepted a file as calls left it. It affects only what lists of
// changes show; the newest event for a path counts.
type ChangeAccepted struct {
	Path   string `json:"path"`
	SHA256 string `json:"sha256,omitempty"` // of the accepted content; empty if the file is gone
}

// EventType returns the type name and version.
func (ChangeAccepted) EventType() Type { return Type{"ChangeAccepted", 1} }
func undoDefs() []Def {
	return []Def{
		Define(Command, "person", "Files are restored to their earlier content.", UndoRequested{Ticket: "T-001",
			Path: "a.go"}, optional),
		Define(Command, "person", "A person accepted a file as calls left it.", ChangeAccepted{"a.go", "ab"}),
		Define(Decision, "approval", "Says why nothing was undone.", UndoRefused{"01J", "call 01J-0 changed no file"}),
	}
}
