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

// Workspaces is where a worker makes the places of attempts: git worktrees in
// the engine's folder.
type Workspaces struct {
	// Git is the program to run.
	Git git.Program
	// Project is the person's folder.
	Project string
	// Root is the folder for worktrees of all sessions.
	Root string
	// Patience is how long a slot waits for another process at the worktrees of a
	// session before the request is put off; zero means git.DefaultPatience.
	Patience time.Duration
	// Open gives the gate to the files of one worktree and to no others.
	Open func(dir string) (*sandbox.Workspace, error)
}

// busyTreesPause is the wait before worktrees at which another process hangs are tried again.
const busyTreesPause = 10 * time.Second

var errNoWorkspaces = errors.New("this worker has no workspaces: git is not installed here; install it, or set " +
	"isolation = \"shared\"")

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
	return git.Worktrees{Program: s.Git, Project: s.Project, Root: filepath.Join(s.Root, session), Session: session,
		Patience: s.Patience}, nil
}

// prepareWorkspace makes the place of an attempt.
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

// mergeWorkspace brings the work of an attempt into the session's branch.
func (w *Worker) mergeWorkspace(ctx context.Context, d events.Delivery, p events.MergeRequested) error {
	out := events.MergeSettled{Request: d.Event.ID, Ticket: p.Ticket, Attempt: p.Attempt, Try: p.Try,
		Outcome: events.MergeFailed}
	trees, err := w.Workspaces.of(d.Event.Session, p.Name)
	if err == nil {
		var done git.Merge
		out.Branch = trees.Branch()
		out.Path, _ = trees.Dir(p.Name) // without it the branch alone is named
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

// errUnread says that the log does not tell whether a session is closed.
var errUnread = errors.New("the log does not say whether the session is closed")

// stillOpen is errClosed behind the end of a session: no place is made and
// nothing is merged there any more.
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

// undecided is the error of a request that has no outcome yet, to be handed out
// again; nil where err is its outcome. Where another process holds the worktrees,
// it may still end what was asked for, so nothing may be said before it has.
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

// site is a worker at one place: the person's folder, or the workspace of an attempt.
type site struct {
	*Worker
	Env     tools.Env // of the place
	session string
	name    string    // of the workspace; empty: the person's folder
	hold    *git.Hold // on the files of what is merged; nil elsewhere
}

// place tells the folders apart that a worker works in.
func (w site) place() string { return placeOf(w.session, w.name) }

func placeOf(session, workspace string) string {
	if workspace == "" {
		return "." // the person's folder is one, whichever session
	}
	return session + " " + workspace
}

// at does something at the place of a name, the person's folder where it is
// empty. A place that cannot be opened has no files: everything there is refused.
// One at which another process is busy is tried again later.
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
		w.Logger.Warn("a workspace cannot be opened", "session", session, "workspace", name, "error", err)
	}
	env.Workspace = own
	return errors.Join(do(site{Worker: w, Env: env, session: session, name: name}), own.Close())
}

// open opens the files of a workspace; that of everything merged is made where
// it is missing, because it is looked at before anything is merged.
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
