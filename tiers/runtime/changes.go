package runtime

import (
	"context"
	"time"

	"manualslop/events"
	"manualslop/tools/checkpoint"
)

// lookTime bounds the look at the workspace after a script that was cut short.
const lookTime = 30 * time.Second

// observed runs a script and notes in its outcome which files it changed, and
// keeps what they held before. Where that cannot be told the outcome says so.
// run returns false where the script was not begun.
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
	out.Unkept = w.named(unkept)
	out.Unseen = unseen || !w.noteChanges(ctx, &out, before, w.own.others(mark, w.place(), changes))
	return out
}

// named are the first of what changed and cannot be undone, as an outcome says it.
func (w site) named(paths []string) []string {
	var out []string
	for _, path := range paths[:min(len(paths), events.MaxUnkept)] {
		out = append(out, w.mask(head(path, maxUnkeptName)))
	}
	return out
}

// maxUnkeptName bounds one of their paths, in bytes.
const maxUnkeptName = 256

// checkpoint takes a state of the workspace; nil where none can be had.
func (w site) checkpoint(ctx context.Context) *checkpoint.State {
	if w.Checkpoints == nil {
		return nil
	}
	state, err := w.keepers.of(w.place(), w.Checkpoints).Take(ctx, w.Env.Workspace)
	if err != nil {
		w.Logger.Warn("what a script changes is not noticed", "error", err)
		return nil
	}
	return state
}

// noteChanges puts changes into an outcome; false where not all of them can be
// undone.
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
				w.Logger.Warn("what a file held before a script is not kept", "path", c.Path, "error", err)
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
