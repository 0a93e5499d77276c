package tools

import (
	"slices"
	"strings"
)

// Result is the answer of one call.
type Result struct {
	// Text is the answer for a model, within the limits of the call.
	Text string `json:"text"`
	// Data is the structured form of Text, which marshals to JSON. It is nil for most failures.
	Data any `json:"data,omitempty"`
	// Failed means that the call did not do what was requested. Text then begins with "ERROR:" or "ACCESS
	// DENIED", except after a program has run; then Exit says how it ended.
	Failed bool `json:"failed,omitempty"`
	// Own means that Text comes only from the engine and the call itself; no file, program or server contributed to it.
	// It may be unset for such a text.
	Own bool `json:"own,omitempty"`
	// Exit is the exit code of a program, or nil if none has ended.
	Exit *int `json:"exit,omitempty"`
	// Stderr is the error output of a program.
	Stderr string `json:"stderr,omitempty"`
	// Interpreter is the program that ran Script, such as "pwsh" or "bash".
	Interpreter string `json:"interpreter,omitempty"`
	// Script is the script that was run, byte for byte as requested.
	Script string `json:"script,omitempty"`
	// Files lists the files that the call read or wrote, sorted by path, at most MaxFiles.
	Files []FileState `json:"files,omitempty"`
	// Artifacts are complete texts of which Text and Data hold only parts, for the caller to store.
	Artifacts []Artifact `json:"-"`
	// Content holds the blocks of an answer that is not only text, in order, at most events.MaxContent. Text
	// describes them.
	Content []Content `json:"-"`
	// Notices are the first notices from the call's external server, at most events.MaxNotices.
	Notices []Notice `json:"-"`
	// Operator is for the operator's log, never for a model. It is empty if Text is sufficient.
	Operator string `json:"-"`
	// Err is the cause of a failure, for errors.Is. It is nil if a program exited with an error.
	Err error `json:"-"`
}

// Artifact is a text that is too long for an answer, up to sandbox.MaxWhole bytes of it.
type Artifact struct {
	Name string // "stdout" or "stderr"; at most one of each name
	Data []byte // as received; may be invalid UTF-8
	Cut  bool   // Data is only the beginning
}

// Content is one block of an answer: a text, or bytes, or neither if it is only a link.
type Content struct {
	Kind  string // as in package events, such as events.ContentImage
	Text  string
	Data  []byte // as received
	Media string // media type; may be empty
	URI   string // of a resource or link
	Name  string // of a link
}

// MaxFiles limits Result.Files.
const MaxFiles = 4_096

// FileState is one file as a call read or left it.
type FileState struct {
	Path    string `json:"path"`
	SHA256  string `json:"sha256"` // lower-case hex; empty for an absent file
	Size    int64  `json:"size"`
	Written bool   `json:"written,omitempty"`
}

// sortedFiles sorts states by path.
func sortedFiles(files []FileState) []FileState {
	slices.SortFunc(files, func(a, b FileState) int { return strings.Compare(a.Path, b.Path) })
	return files
}
