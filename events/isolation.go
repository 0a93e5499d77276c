package events

import (
	"strconv"
	"strings"
)

// How tickets that run at the same time are isolated.
const (
	// IsolationShared lets all tickets work in the user's folder. A file that one ticket changes is locked for the
	// others until its attempt ends.
	IsolationShared = "shared"
	// IsolationWorktree gives each attempt its own git worktree and branch.
	IsolationWorktree = "worktree"
)

// WorkspaceMerged is the name of the worktree with the merged work of all tickets.
const WorkspaceMerged = "merged"

// WorkspaceName returns the name of the workspace of an attempt at a ticket.
func WorkspaceName(ticket string, attempt int) string { return ticket + "." + strconv.Itoa(attempt) }

// Place returns the name of the workspace with the merged work of a session's tickets, or "" if that is the user's
// folder.
func (s Settings) Place() string {
	if s.Isolation == IsolationWorktree {
		return WorkspaceMerged
	}
	return ""
}

// ValidWorkspace reports whether a workspace name is valid: one path element that cannot lead out
// of its folder.
func ValidWorkspace(name string) bool {
	stem, number, numbered := strings.Cut(name, ".")
	if !ValidToken(stem) || len(name) > MaxToken+12 {
		return false
	}
	return !numbered || number != "" && number[0] != '0' && strings.Trim(number, "0123456789") == ""
}

// OverlapWarned says that two tickets have the same target file. In the user's folder the second one waits for the
// first; in separate worktrees both continue, and their changes are combined in the merge.
type OverlapWarned struct {
	Tickets []string `json:"tickets"` // the running one, then the one about to start
	Path    string   `json:"path"`
	Waits   bool     `json:"waits"` // the second starts when the attempt of the first has ended
}

// EventType returns the type name and version.
func (OverlapWarned) EventType() Type { return Type{"OverlapWarned", 1} }

// EventCorr returns the ticket that is about to start.
func (e OverlapWarned) EventCorr() string {
	if len(e.Tickets) == 0 {
		return ""
	}
	return e.Tickets[len(e.Tickets)-1]
}

// WorkspaceRequested asks a worker for the workspace of an attempt.
type WorkspaceRequested struct {
	Ticket  string `json:"ticket"`
	Attempt int    `json:"attempt"`
	Name    string `json:"name"` // see [WorkspaceName]
}

// EventType returns the type name and version.
func (WorkspaceRequested) EventType() Type { return Type{"WorkspaceRequested", 1} }

// EventCorr returns the ticket.
func (e WorkspaceRequested) EventCorr() string { return e.Ticket }

// WorkspacePrepared answers WorkspaceRequested: the workspace exists, or Error says why it does
// not.
type WorkspacePrepared struct {
	Request string `json:"request"`
	Ticket  string `json:"ticket"`
	Attempt int    `json:"attempt"`
	Name    string `json:"name"`
	Path    string `json:"path,omitempty"`   // absolute path of the folder in which tools work
	Branch  string `json:"branch,omitempty"` // the branch of the attempt
	Base    string `json:"base,omitempty"`   // the commit from which it starts
	Note    string `json:"note,omitempty"`   // a note for the person
	Error   string `json:"error,omitempty"`
}

// EventType returns the type name and version.
func (WorkspacePrepared) EventType() Type { return Type{"WorkspacePrepared", 1} }

// EventCorr returns the ticket.
func (e WorkspacePrepared) EventCorr() string { return e.Ticket }

// MergeRequested asks a worker to commit the changes of an attempt and to merge them into the
// session's branch. Only one runs at a time.
type MergeRequested struct {
	Ticket   string `json:"ticket"`
	Attempt  int    `json:"attempt"`
	Try      int    `json:"try"` // counted from 1; each retry that a person requests adds one
	Name     string `json:"name"`
	Title    string `json:"title"`              // first line of the commit messages
	Resolves string `json:"resolves,omitempty"` // commit whose conflicts were resolved in the workspace
	// Take is the requested resolution for each conflicting file: one of the Take values. It has
	// at most MaxMergeFiles entries.
	Take map[string]string `json:"take,omitempty"`
}

// EventType returns the type name and version.
func (MergeRequested) EventType() Type { return Type{"MergeRequested", 1} }

// EventCorr returns the ticket.
func (e MergeRequested) EventCorr() string { return e.Ticket }

// Outcomes of a merge.
const (
	MergeDone     = "merged"
	MergeConflict = "conflict" // the files contain both sides and wait for a person
	MergeFailed   = "failed"   // nothing was merged; a person may try again
)

// Resolutions of a file in conflict.
const (
	TakeTicket = "ticket" // the ticket's version; the file is removed if the ticket removed it
	TakeMerged = "merged" // the previously merged version, likewise
	TakeFile   = "file"   // the version in the worktree, whatever it is
	// TakeRest stands for all conflicting files that are not named.
	TakeRest = "*"
)

// ValidTake reports whether take names at most MaxMergeFiles files, each with a Take value.
func ValidTake(take map[string]string) bool {
	for file, side := range take { // order-independent: all of them must be valid
		if file == "" || side != TakeTicket && side != TakeMerged && side != TakeFile {
			return false
		}
	}
	return len(take) <= MaxMergeFiles
}

// MaxMergeFiles limits how many files a MergeSettled names.
const MaxMergeFiles = 100

// MergeSettled is the outcome of a merge. No outcome loses any work.
type MergeSettled struct {
	Request  string   `json:"request"`
	Ticket   string   `json:"ticket"`
	Attempt  int      `json:"attempt"`
	Try      int      `json:"try"`
	Outcome  string   `json:"outcome"`
	Branch   string   `json:"branch,omitempty"`   // the session's branch
	Commit   string   `json:"commit,omitempty"`   // if merged: the newest commit of that branch
	Path     string   `json:"path,omitempty"`     // otherwise: the folder that keeps the attempt's work
	Onto     string   `json:"onto,omitempty"`     // for a conflict: the commit with which it conflicts
	Files    []string `json:"files,omitempty"`    // for a conflict: the files, at most MaxMergeFiles
	Unmarked []string `json:"unmarked,omitempty"` // conflicting files without conflict marks, which hold one side
	Detail   string   `json:"detail,omitempty"`
}

// EventType returns the type name and version.
func (MergeSettled) EventType() Type { return Type{"MergeSettled", 1} }

// EventCorr returns the ticket.
func (e MergeSettled) EventCorr() string { return e.Ticket }

// MergeAnswered is a person's decision on work that could not be merged.
type MergeAnswered struct {
	Ticket  string `json:"ticket"`
	Attempt int    `json:"attempt"`
	Try     int    `json:"try"`
	Retry   bool   `json:"retry"` // false: the ticket is blocked and its work stays where it is
	By      string `json:"by"`
	Reason  string `json:"reason,omitempty"`
	Ask     string `json:"ask"`
	// Take is the requested resolution for each conflicting file; see MergeRequested.
	Take map[string]string `json:"take,omitempty"`
}

// EventType returns the type name and version.
func (MergeAnswered) EventType() Type { return Type{"MergeAnswered", 1} }

// EventCorr returns the ticket.
func (e MergeAnswered) EventCorr() string { return e.Ticket }

func isolationDefs() []Def {
	return []Def{
		Define(Decision, "conductor", "Two tickets are about the same file.", OverlapWarned{[]string{"T-001", "T-002"},
			"a.go", true}),
		Define(Decision, "conductor", "An attempt at a ticket needs its own workspace.", WorkspaceRequested{"T-001", 1,
			"T-001.1"}),
		Define(Outcome, "worker", "The workspace of an attempt exists, or could not be "+
			"created.", WorkspacePrepared{Request: "01J",
			Ticket: "T-001", Attempt: 1, Name: "T-001.1",
			Path: "/w/.slop/worktrees/S/T-001.1", Branch: "slop-tickets/S/T-001.1", Base: "ab"}),
		Define(Decision, "conductor", "The work of an attempt is to be merged.", MergeRequested{Ticket: "T-001", Attempt: 1,
			Try: 1, Name: "T-001.1", Title: "T-001: Mend"}),
		Define(Outcome, "worker", "The outcome of a merge.", MergeSettled{Request: "01J", Ticket: "T-001", Attempt: 1, Try: 1,
			Outcome: MergeConflict, Branch: "slop/S",
			Path: "/w/.slop/worktrees/S/T-001.1", Onto: "ab", Files: []string{"a.go"}}),
		Define(Decision, "approval", "A person's decision on work that could not be merged.", MergeAnswered{Ticket: "T-001",
			Attempt: 1, Try: 1, Retry: true, By: "ada", Ask: "01K", Take: map[string]string{"a.png": TakeTicket}}),
	}
}
