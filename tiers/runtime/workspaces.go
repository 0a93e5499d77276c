package runtime

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"manualslop/events"
	"manualslop/tools"
	"manualslop/tools/git"
	"manualslop/tools/sandbox"
)

// Workspaces creates the workspaces of attempts: git worktrees in the engine's
// folder.
type Workspaces struct {
	// Git is the git program to run.
	Git git.Program
	// Project is the user's folder.
	Project string
	// Root is the folder for the worktrees of all sessions.
	Root string
	// Patience is how long a slot waits for another process that is using the worktrees of a
	// session before it postpones the request; zero means git.DefaultPatience.
	Patience time.Duration
	// Open returns access to the files of one worktree only.
	Open func(dir string) (*sandbox.Workspace, error)
}

// busyTreesPause is the delay before worktrees that another process is using
// are retried.
const busyTreesPause = 10 * time.Second

var errNoWorkspaces = errors.New("this worker cannot create workspaces: git is not installed here; install it, or set " +
	"isolation = \"shared\"")

// maxMergeNames limits the total length of the file names in each list of a MergeSettled, in
// bytes.
const maxMergeNames = 32 << 10

// of returns the worktrees of a session. It rejects a name that would lead elsewhere.
func (s *Workspaces) of(session, name string) (git.Worktrees, error) {
	if s == nil {
		return git.Worktrees{}, errNoWorkspaces
	}
	if !events.ValidToken(session) || !events.ValidWorkspace(name) {
		return git.Worktrees{}, fmt.Errorf("%q is not a valid workspace name", name)
	}
	return git.Worktrees{Program: s.Git, Project: s.Project, Root: filepath.Join(s.Root, session), Session: session,
		Patience: s.Patience}, nil
}

// prepareWorkspace creates the workspace of an attempt.
func (w *Worker) prepareWorkspace(ctx context.Context, d events.Delivery, p events.WorkspaceRequested) error {
	out := events.WorkspacePrepared{Request: d.Event.ID, Ticket: p.Ticket, Attempt: p.Attempt, Name: p.Name}
	trees, err := w.Workspaces.of(d.Event.Session, p.Name)
	if err == nil {
		trees.Allow = func(ctx context.Context) error { return w.stillOpen(ctx, d.Event.Session) }
		var tree git.Worktree
		tree, err = trees.Prepare(ctx, p.Name)
		out.Path, out.Branch, out.Base, out.Note = tree.Dir, tree.Branch, tree.Base, tree.Note
	}
	if again := undecided(ctx, err); again != nil {
		return again
	}
	if err != nil {
		out = events.WorkspacePrepared{Request: out.Request, Ticket: out.Ticket, Attempt: out.Attempt, Name: out.Name,
			Error: w.mask(head(err.Error(), maxStderr))}
	}
	return w.answer(ctx, &d.Event, out)
}

// mergeWorkspace merges the work of an attempt into the session's branch.
func (w *Worker) mergeWorkspace(ctx context.Context, d events.Delivery, p events.MergeRequested) error {
	out := events.MergeSettled{Request: d.Event.ID, Ticket: p.Ticket, Attempt: p.Attempt, Try: p.Try,
		Outcome: events.MergeFailed}
	trees, err := w.Workspaces.of(d.Event.Session, p.Name)
	if err == nil {
		var done git.Merge
		out.Branch = trees.Branch()
		out.Path, _ = trees.Dir(p.Name) // without it only the branch is named
		trees.Allow = func(ctx context.Context) error { return w.stillOpen(ctx, d.Event.Session) }
		done, err = trees.Merge(ctx, git.MergeRequest{Name: p.Name, Try: p.Try, Title: p.Title, Take: p.Take})
		switch {
		case err != nil:
		case done.Commit != "":
			out.Outcome, out.Commit, out.Path, out.Detail = events.MergeDone, done.Commit, "", w.mask(head(done.Left, maxStderr))
			w.keepers.forget(placeOf(d.Event.Session, p.Name))
		default:
			out.Outcome, out.Onto = events.MergeConflict, done.Onto
			out.Files, out.Unmarked = w.named(done.Files), w.named(done.Whole)
			if len(out.Files) < len(done.Files) {
				out.Detail = fmt.Sprintf("%d files are in conflict; the first ones are named.", len(done.Files))
			}
		}
	}
	if again := undecided(ctx, err); again != nil {
		return again
	}
	if err != nil {
		out.Detail = w.mask(head(err.Error(), maxStderr))
	}
	return w.answer(ctx, &d.Event, out)
}

// errUnread means that the log could not be read to find out whether a session is closed.
var errUnread = errors.New("the log does not show whether the session is closed")

// stillOpen returns errClosed if a session has ended: no workspace may be created and nothing may
// be merged there any more.
func (w *Worker) stillOpen(ctx context.Context, session string) error {
	over, err := w.isOver(ctx, session)
	switch {
	case err != nil:
		return fmt.Errorf("%w: %w", errUnread, err)
	case over:
		return errClosed
	}
	return nil
}

// undecided returns the error with which a request without an outcome is redelivered; nil if err
// is its outcome. If another process holds the worktrees, it may still complete the request, so no
// outcome may be recorded before that.
func undecided(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, git.ErrBusy):
		return &events.NotBeforeError{Time: time.Now().Add(busyTreesPause), Reason: err.Error()}
	case errors.Is(err, errUnread):
		return err
	}
	return nil
}

// named returns the first file names, as many as fit into one event.
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

// site is a worker in one folder: the user's folder, or the workspace of an attempt.
type site struct {
	*Worker
	Env     tools.Env // environment of calls in this folder
	session string
	name    string    // of the workspace; empty means the user's folder
	hold    *git.Hold // on the files of merged work; nil elsewhere
}

// place identifies the folder that a worker works in.
func (w site) place() string { return placeOf(w.session, w.name) }

func placeOf(session, workspace string) string {
	if workspace == "" {
		return "." // the user's folder is the same for all sessions
	}
	return session + " " + workspace
}

// at calls do with a site for the named workspace, or for the user's folder if name is empty. A
// workspace that cannot be opened has no files, so everything there is rejected. A workspace that
// another process is using is retried later.
func (w *Worker) at(ctx context.Context, session, name string, do func(site) error) error {
	if name == "" {
		return do(site{Worker: w, Env: w.Home, session: session})
	}
	env := w.Home
	own, err := w.open(ctx, session, name)
	if again := undecided(ctx, err); again != nil {
		return again
	}
	if err != nil {
		w.Logger.Warn("cannot open a workspace", "session", session, "workspace", name, "error", err)
	}
	env.Workspace = own
	return errors.Join(do(site{Worker: w, Env: env, session: session, name: name}), own.Close())
}

// open opens the files of a workspace. It creates the workspace of merged work if it is missing,
// because that is used before anything is merged.
func (w *Worker) open(ctx context.Context, session, name string) (*sandbox.Workspace, error) {
	if w.Workspaces == nil {
		return nil, errNoWorkspaces
	}
	trees, err := w.Workspaces.of(session, name)
	if err != nil {
		return nil, err
	}
	if name == events.WorkspaceMerged {
		if _, err := trees.Prepare(ctx, name); err != nil {
			return nil, err
		}
	}
	dir, err := trees.Dir(name)
	if err != nil {
		return nil, err
	}
	return w.Workspaces.Open(dir)
}
