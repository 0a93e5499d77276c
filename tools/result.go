package tools

import (
	"slices"
	"strings"
)

// Result is the answer of one call.
type Result struct {
	// Text is what a model reads, within the limits of the call.
	Text string `json:"text"`
	// Data is the structured form of Text; it marshals to JSON. Nil for most
	// failures.
	Data any `json:"data,omitempty"`
	// Failed says that the call did not do what was asked. Text then begins with "ERROR:" or
	// "ACCESS DENIED", except where a program ran and Exit says how it ended.
	Failed bool `json:"failed,omitempty"`
	// Exit is the exit code of a program, nil if none ended.
	Exit *int `json:"exit,omitempty"`
	// Stderr is the error output of a program.
	Stderr string `json:"stderr,omitempty"`
	// Interpreter is the program that ran Script, such as "pwsh" or "bash".
	Interpreter string `json:"interpreter,omitempty"`
	// Script is the text that was run, byte for byte as it was asked for.
	Script string `json:"script,omitempty"`
	// Files are the files that the call read or wrote, sorted by path, at most MaxFiles.
	Files []FileState `json:"files,omitempty"`
	// Artifacts are whole texts that Text and Data hold only parts of, for the caller to store.
	Artifacts []Artifact `json:"-"`
	// Operator is for the log of the person, never for a model; empty where Text says it all.
	Operator string `json:"-"`
	// Err is the cause of a failure, for errors.Is; nil for programs that ended badly.
	Err error `json:"-"`
}

// Artifact is a text that is too long for an answer, at most sandbox.MaxWhole bytes of it.
type Artifact struct {
	Name string // "stdout" or "stderr"; at most one of each name
	Data []byte // as it came, not always valid UTF-8
	Cut  bool   // Data is only the beginning
}

// MaxFiles bounds Result.Files.
const MaxFiles = 4_096

// FileState is one file as a call saw or left it.
type FileState struct {
	Path    string `json:"path"`
	SHA256  string `json:"sha256"` // lower-case hex, empty for an absent file
	Size    int64  `json:"size"`
	Written bool   `json:"written,omitempty"`
}

// sortedFiles orders states by path.
func sortedFiles(files []FileState) []FileState {
	slices.SortFunc(files, func(a, b FileState) int { return strings.Compare(a.Path, b.Path) })
	return files
}
