package runtime

import (
	"context"
	"sync"
	"time"

	"manualslop/events"
	"manualslop/tools"
	"manualslop/tools/checkpoint"
)

// lookTime bounds the look at the workspace after a script that was cut short.
const lookTime = 30 * time.Second

// observed runs a script and notes in its outcome which files it changed, and
// keeps what they held before. Where that cannot be told the outcome says so.
// In a worktree that is for git to tell.
func (w site) observed(ctx context.Context, run func() events.ToolSettled) events.ToolSettled {
	var before *checkpoint.State
	if w.name == "" {
		before = w.checkpoint(ctx)
	}
	mark := w.own.mark()
	out := run()
	if before == nil {
		out.Unseen = true
		return out
	}
	defer before.Release()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), lookTime)
	defer cancel()
	after := w.checkpoint(ctx)
	if after == nil {
		out.Unseen = true
		return out
	}
	defer after.Release()
	changes, unseen := checkpoint.Compare(before, after)
	out.Unseen = unseen || !w.noteChanges(ctx, &out, before, w.own.others(mark, changes))
	return out
}

// checkpoint takes a state of the workspace; nil where none can be had.
func (w *Worker) checkpoint(ctx context.Context) *checkpoint.State {
	if w.Checkpoints == nil {
		return nil
	}
	state, err := w.Checkpoints.Take(ctx)
	if err != nil {
		w.Logger.Warn("what a script changes is not noticed", "error", err)
		return nil
	}
	return state
}

// noteChanges puts changes into an outcome; false where not all of them can be
// undone.
func (w site) noteChanges(ctx context.Context, out *events.ToolSettled, before *checkpoint.State, changes []checkpoint.Change) bool {
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
		out.Files = append(out.Files, events.FileState{Path: c.Path, SHA256: c.After, Size: c.Size, Written: true, Before: c.Before})
	}
	w.keep(ctx, out.Files)
	return fitting == len(changes)
}

// maxJournal bounds the own writes that are remembered.
const maxJournal = 10_000

// journal remembers what this worker's other calls wrote, so that a script that
// ran beside them is not taken for the author. The zero value is empty.
type journal struct {
	mu      sync.Mutex
	dropped int
	writes  []tools.PlannedChange
}

func (j *journal) add(changes []tools.PlannedChange) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.writes = append(j.writes, changes...)
	if over := len(j.writes) - maxJournal; over > 0 {
		j.writes, j.dropped = j.writes[over:], j.dropped+over
	}
}

// mark is a position in the journal.
func (j *journal) mark() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.dropped + len(j.writes)
}

// others are the changes that no write behind mark made.
func (j *journal) others(mark int, changes []checkpoint.Change) []checkpoint.Change {
	j.mu.Lock()
	defer j.mu.Unlock()
	own := map[string]string{}
	for _, w := range j.writes[max(0, mark-j.dropped):] {
		own[w.Path] = w.After
	}
	var out []checkpoint.Change
	for _, c := range changes {
		if after, ours := own[c.Path]; !ours || after != c.After {
			out = append(out, c)
		}
	}
	return out
}
