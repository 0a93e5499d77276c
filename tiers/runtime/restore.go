package runtime

import (
	"context"
	"errors"

	"manualslop/events"
	"manualslop/tools/git"
)

// carryOutCall runs an approved call at its place. An undo of what is merged
// already is made on the session's branch, while nobody merges.
func (w *Worker) carryOutCall(ctx context.Context, d Delivery, p events.ToolApproved) error {
	session := d.Event.Session
	if p.Tool != events.RestoreTool || p.Workspace != events.WorkspaceMerged {
		return w.at(ctx, session, p.Workspace, func(at site) error { return at.approved(ctx, d, p) })
	}
	hold, err := w.hold(ctx, session)
	if again := undecided(ctx, err); again != nil {
		return again
	}
	if err != nil {
		return w.answer(ctx, &d.Event, w.failed(p, w.notRestored(err)))
	}
	defer hold.Release()
	own, err := w.Workspaces.Open(hold.Dir)
	if err != nil {
		return err
	}
	env := w.Home
	env.Workspace = own
	return errors.Join(site{Worker: w, Env: env, session: session, name: p.Workspace, hold: hold}.approved(ctx, d, p),
		own.Close())
}

func (w *Worker) hold(ctx context.Context, session string) (*git.Hold, error) {
	trees, err := w.Workspaces.of(session, events.WorkspaceMerged)
	if err != nil {
		return nil, err
	}
	return trees.HoldMerged(ctx)
}

func (w *Worker) notRestored(err error) string {
	return "ERROR: nothing was restored: " + w.mask(head(err.Error(), maxStderr))
}

// finish makes what a call changed part of its place, and then records the
// outcome. A call that dies in between finds its files changed, and comes here again.
func (w site) finish(ctx context.Context, cause *events.Event, l *lease, out events.ToolSettled) error {
	if w.hold != nil && out.Outcome == events.ToolDone {
		err := w.hold.Commit(ctx, "Undo: give files the content that they had")
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if out.Branch = w.hold.Branch; err != nil {
			approved := events.ToolApproved{Call: out.Call, Tool: out.Tool, ArgsSHA256: out.ArgsSHA256,
				Generation: out.Generation}
			out = w.failed(approved, w.notRestored(err))
		}
	}
	return w.Worker.finish(ctx, cause, l, out)
}
