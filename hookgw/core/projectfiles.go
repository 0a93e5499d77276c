package core

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"manualslop/hookgw/problem"
	"manualslop/projections"
)

// ProjectFiles is the gateway's access to the project folder. Paths are relative to the folder and never lead out of
// it. Every error that a client can fix is a *FileProblem.
type ProjectFiles interface {
	// Load reads a project document of at most MaxProjectFile bytes.
	Load(ctx context.Context, path string) (ProjectFile, error)
	// Save writes a project document, entirely or not at all. The file must have the digest given as was, or be missing
	// if that is empty; force overwrites it.
	Save(ctx context.Context, path string, document json.RawMessage, was string, force bool) (ProjectFile, error)
	// Expand finds the files that match patterns below base, sorted, and says why a pattern matches none.
	Expand(ctx context.Context, base string, patterns []string) (paths, skipped []string, err error)
	// KeepContext writes Markdown to a new file of a folder, <name>_NNN.md with the number after the highest one, and
	// returns its path.
	KeepContext(ctx context.Context, folder, name, markdown string) (path string, err error)
	// Check returns a *FileProblem if a path names no file that a prompt can show.
	Check(path string) error
	// ReadHistory reads a history.toml of Manual Slop, WriteHistory writes one.
	ReadHistory(text string) (projections.History, error)
	WriteHistory(h projections.History) (string, error)
}

// MaxProjectFile limits the file of a project document, in bytes.
const MaxProjectFile = 1 << 20

// ProjectFile is a project document as read from its file.
type ProjectFile struct {
	Path     string // as the gateway shows it
	SHA256   string
	Size     int64
	Document json.RawMessage // its tables as a JSON object
}

// FileProblemKind is the kind of a file error.
type FileProblemKind int

const (
	// FileDenied means that the path is protected or leads out of the project.
	FileDenied FileProblemKind = iota + 1
	// FileMissing means that no file exists at the path.
	FileMissing
	// FileBroken means that the content cannot be read or written.
	FileBroken
	// FileChanged means that the file differs from what was expected.
	FileChanged
	// FileTooLarge means that the content, or a list of files, exceeds its limit.
	FileTooLarge
)

// FileProblem is a file error for a client: what is wrong and what to do.
type FileProblem struct {
	Kind          FileProblemKind
	Message, Hint string
}

// Error returns the message.
func (p *FileProblem) Error() string { return p.Message }

// Status returns the HTTP status for the problem.
func (p *FileProblem) status() int {
	switch p.Kind {
	case FileDenied:
		return http.StatusForbidden
	case FileMissing:
		return http.StatusNotFound
	case FileChanged:
		return http.StatusConflict
	case FileTooLarge:
		return http.StatusRequestEntityTooLarge
	}
	return http.StatusUnprocessableEntity
}

// ProblemOf converts an error of ProjectFiles to a problem for the client.
func ProblemOf(err error) error {
	var p *FileProblem
	if errors.As(err, &p) {
		return problem.New(p.status(), p.Message, p.Hint).WithCause(err)
	}
	return err
}

// Files returns the project folder, or an error that says why it is not available.
func (g *State) Files() (ProjectFiles, error) {
	if g.Cfg.ProjectFiles == nil {
		return nil, problem.New(http.StatusServiceUnavailable, "this gateway has no access to the project folder",
			"Use the gateway of slop serve, started with --project.")
	}
	return g.Cfg.ProjectFiles, nil
}
