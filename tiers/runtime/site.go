package runtime

import (
	"context"
	"errors"

	"manualslop/events"
	"manualslop/tools"
	"manualslop/tools/git"
	"manualslop/tools/sandbox"
)

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
