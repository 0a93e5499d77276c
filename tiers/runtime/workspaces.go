package runtime

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"manualslop/events"
	"manualslop/tools/git"
	"manualslop/tools/sandbox"
)

// Workspaces is where a worker makes the places of attempts: git worktrees in
// the engine's folder.
type Workspaces struct {
	// Git is the program to run.
	Git git.Program
	// Project is the person's folder.
	Project string
	// Root is the folder for worktrees of all sessions.
	Root string
	// Open gives the gate to the files of one worktree and to no others.
	Open func(dir string) (*sandbox.Workspace, error)
}

var errNoWorkspaces = errors.New("this worker has no workspaces: git is not installed here; install it, or set isolation = \"shared\"")

// maxMergeNames bounds the names of files in each list of a MergeSettled, in bytes.
const maxMergeNames = 32 << 10

// of are the worktrees of a session; a name that leads elsewhere is refused.
func (s *Workspaces) of(session, name string) (git.Worktrees, error) {
	if s == nil {
		return git.Worktrees{}, errNoWorkspaces
	}
	if !events.ValidToken(session) || !events.ValidWorkspace(name) {
		return git.Worktrees{}, fmt.Errorf("%q is no name of a workspace", name)
	}
	return git.Worktrees{Program: s.Git, Project: s.Project, Root: filepath.Join(s.Root, session), Session: session}, nil
}

// prepareWorkspace makes the place of an attempt.
func (w *Worker) prepareWorkspace(ctx context.Context, d Delivery, p events.WorkspaceRequested) error {
	out := events.WorkspacePrepared{Request: d.Event.ID, Ticket: p.Ticket, Attempt: p.Attempt, Name: p.Name}
	trees, err := w.Workspaces.of(d.Event.Session, p.Name)
	if err == nil {
		var tree git.Worktree
		tree, err = trees.Prepare(ctx, p.Name)
		out.Path, out.Branch, out.Base, out.Note = tree.Dir, tree.Branch, tree.Base, tree.Note
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		out = events.WorkspacePrepared{Request: out.Request, Ticket: out.Ticket, Attempt: out.Attempt, Name: out.Name, Error: w.mask(head(err.Error(), maxStderr))}
	}
	return w.answer(ctx, &d.Event, out)
}

// mergeWorkspace brings the work of an attempt into the session's branch.
func (w *Worker) mergeWorkspace(ctx context.Context, d Delivery, p events.MergeRequested) error {
	out := events.MergeSettled{Request: d.Event.ID, Ticket: p.Ticket, Attempt: p.Attempt, Try: p.Try, Outcome: events.MergeFailed}
	trees, err := w.Workspaces.of(d.Event.Session, p.Name)
	if err == nil {
		var done git.Merge
		out.Branch = trees.Branch()
		out.Path, _ = trees.Dir(p.Name) // without it the branch alone is named
		done, err = trees.Merge(ctx, git.MergeRequest{Name: p.Name, Try: p.Try, Title: p.Title, Take: p.Take})
		switch {
		case err != nil:
		case done.Commit != "":
			out.Outcome, out.Commit, out.Path, out.Detail = events.MergeDone, done.Commit, "", w.mask(head(done.Left, maxStderr))
			w.keepers.forget(placeOf(d.Event.Session, p.Name))
		default:
			out.Outcome, out.Onto = events.MergeConflict, done.Onto
			out.Files, out.Whole = w.named(done.Files), w.named(done.Whole)
			if len(out.Files) < len(done.Files) {
				out.Detail = fmt.Sprintf("%d files are in conflict; the first ones are named.", len(done.Files))
			}
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil {
		out.Detail = w.mask(head(err.Error(), maxStderr))
	}
	return w.answer(ctx, &d.Event, out)
}

// named are as many names of files as one event may carry.
func (w *Worker) named(files []string) []string {
	out := slices.Clone(files[:min(len(files), events.MaxMergeFiles)])
	room := maxMergeNames
	for i := range out {
		out[i] = w.mask(out[i])
		if room -= encoded(out[i]); room < 0 {
			return out[:i]
		}
	}
	return out
}
