package runtime

import (
	"context"
	"sync"
	"time"

	"manualslop/events"
	"manualslop/tools"
	"manualslop/tools/checkpoint"
	"manualslop/tools/git"
)

// lookTime limits the time for scanning the workspace after an interrupted script.
const lookTime = 30 * time.Second

// observed runs a script, records the changed files in its outcome, and keeps their earlier
// content. If that is not possible, the outcome says so. The second result of run is false if the
// script was not started.
func (w site) observed(ctx context.Context, run func() (events.ToolSettled, bool)) events.ToolSettled {
	before := w.checkpoint(ctx)
	if before != nil {
		defer before.Release()
	}
	mark := w.own.mark()
	out, begun := run()
	if !begun || before == nil {
		out.Unseen = begun
		return out
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTime)
	defer cancel()
	after := w.checkpoint(ctx)
	if after == nil {
		out.Unseen = true
		return out
	}
	defer after.Release()
	changes, unseen, unkept := checkpoint.Compare(before, after)
	out.NotUndoable = w.named(unkept)
	out.Unseen = unseen || !w.noteChanges(ctx, &out, before, w.own.others(mark, w.place(), changes))
	return out
}

// named returns the first few paths of changes that cannot be undone, as an outcome lists them.
func (w site) named(paths []string) []string {
	var out []string
	for _, path := range paths[:min(len(paths), events.MaxNotUndoable)] {
		out = append(out, w.mask(head(path, maxUnkeptName)))
	}
	return out
}

// maxUnkeptName limits the length of each path that named returns, in bytes.
const maxUnkeptName = 256

// checkpoint captures the state of the workspace; nil if that is not possible.
func (w site) checkpoint(ctx context.Context) *checkpoint.State {
	if w.Checkpoints == nil {
		return nil
	}
	state, err := w.keepers.of(w.place(), w.Checkpoints).Take(ctx, w.Env.Workspace)
	if err != nil {
		w.Logger.Warn("cannot track the files that a script changes", "error", err)
		return nil
	}
	return state
}

// noteChanges adds changes to an outcome. It returns false if not all of them can be undone.
func (w site) noteChanges(ctx context.Context, out *events.ToolSettled, before *checkpoint.State,
	changes []checkpoint.Change) bool {
	fitting := fittingFiles(changes, func(c checkpoint.Change) string { return c.Path })
	for _, c := range changes[:fitting] {
		if c.Before != "" && !w.stored.has(c.Before) {
			content, err := before.Content(c.Before)
			if err == nil {
				err = w.remember(ctx, c.Before, content)
			}
			if err != nil {
				w.Logger.Warn("cannot save a file's content before a script runs", "path", c.Path, "error", err)
				return false
			}
		}
		out.Files = append(out.Files, events.FileState{Path: c.Path, SHA256: c.After, Size: c.Size, Written: true,
			Before: c.Before,
			Mode:   bits(c.AfterMode), BeforeMode: bits(c.BeforeMode)})
	}
	w.keep(ctx, out.Files)
	return fitting == len(changes)
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

// finish commits the changes of a call to its workspace and then records the outcome. If it
// crashes in between, the next attempt finds the files changed and runs finish again.
func (w site) finish(ctx context.Context, cause *events.Event, l *lease, out events.ToolSettled) error {
	if w.hold != nil && out.Outcome == events.ToolDone {
		err := w.hold.Commit(ctx, "Undo: restore files to their earlier content")
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

// maxJournal limits the number of writes in a journal.
const maxJournal = 10_000

// journal records the writes of this worker's other calls, so that they are not
// attributed to a script that ran concurrently. The zero value is empty.
type journal struct {
	mu      sync.Mutex
	dropped int
	writes  []written
}

// written is a change in a workspace; see site.place.
type written struct {
	place string
	tools.PlannedChange
}

func (j *journal) add(place string, changes []tools.PlannedChange) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, c := range changes {
		j.writes = append(j.writes, written{place, c})
	}
	if over := len(j.writes) - maxJournal; over > 0 {
		j.writes, j.dropped = j.writes[over:], j.dropped+over
	}
}

// mark returns the current position in the journal.
func (j *journal) mark() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.dropped + len(j.writes)
}

// others returns the changes of a workspace that no write after mark made.
func (j *journal) others(mark int, place string, changes []checkpoint.Change) []checkpoint.Change {
	j.mu.Lock()
	defer j.mu.Unlock()
	own := map[string]string{}
	for _, w := range j.writes[max(0, mark-j.dropped):] {
		if w.place == place {
			own[w.Path] = w.After
		}
	}
	var out []checkpoint.Change
	for _, c := range changes {
		if after, ours := own[c.Path]; !ours || after != c.After {
			out = append(out, c)
		}
	}
	return out
}
