package runtime

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tools"
)

// Bounds of what a ToolSettled carries, in bytes.
const (
	maxStderr = 8 << 10
	maxData   = 32 << 10
)

// maxFiles bounds the files that a ToolSettled names, and maxFilesSum what they
// take there in bytes of JSON.
const (
	maxFiles    = 1000
	maxFilesSum = 256 << 10
)

// fittingFiles counts the files from the first one on that an outcome can name.
func fittingFiles[F any](files []F, path func(F) string) int {
	const rest = 240 // the other members: two digests and their names
	room := maxFilesSum
	for i, f := range files[:min(len(files), maxFiles)] {
		if room -= encoded(path(f)) + rest; room < 0 {
			return i
		}
	}
	return min(len(files), maxFiles)
}

// approved runs one call, exactly the approved bytes. Its claim, if it needs
// one, decides what a redelivery may do.
func (w site) approved(ctx context.Context, d Delivery, p events.ToolApproved) error {
	if d.Event.Actor != events.ActorApproval {
		w.Logger.Error("a call without an approval is not run", "call", p.Call, "by", d.Event.Actor)
		return nil
	}
	digest, err := events.CanonicalDigest(p.Args)
	if err != nil || digest != p.ArgsSHA256 {
		w.Logger.Error("a call whose bytes are not the approved ones is not run", "call", p.Call)
		return w.answer(ctx, &d.Event, w.failed(p, "ERROR: the arguments are not the approved ones; the call was not run"))
	}
	env := w.Env
	env.Kept = w.Blobs.Get
	if p.TimeoutMS > 0 {
		env.Shell.Timeout = time.Duration(p.TimeoutMS) * time.Millisecond
	}
	prepared, err := w.Tools.Prepare(ctx, env, p.Tool, p.Args)
	if err != nil {
		return w.answer(ctx, &d.Event, w.settled(ctx, p, tools.Failure(err), 0))
	}
	effect := prepared.Spec().Effect
	if over, err := w.isOver(ctx, d.Event.Session, p); err != nil {
		return err
	} else if over {
		return w.afterClose(ctx, d, p, effect)
	}
	switch {
	case effect.Has(tools.Writes) && prepared.Plans():
		return w.write(ctx, d, p, prepared)
	case effect.Has(tools.Writes), effect.Has(tools.Executes):
		return w.execute(ctx, d, p, prepared)
	}
	out := w.run(ctx, &d.Event, p, prepared, nil)
	return w.answer(ctx, &d.Event, out)
}

// execute runs a call that cannot be looked into, such as a script or a change
// outside of the project's files: once claimed, it is never run again without a
// person's word.
func (w site) execute(ctx context.Context, d Delivery, p events.ToolApproved, prepared *tools.Prepared) error {
	l := w.lease(d.Event.Session, p)
	before, err := l.take(ctx)
	if err != nil {
		return err
	}
	switch {
	case before == nil:
	case before.Outcome != nil && before.Generation >= p.Generation:
		return w.answer(ctx, &d.Event, *before.Outcome)
	case before.Generation >= p.Generation:
		return w.finish(ctx, &d.Event, l, w.interrupted(p))
	default: // a person wants it run again
		if err := l.write(ctx); err != nil {
			return err
		}
	}
	run := func() events.ToolSettled { return w.run(ctx, &d.Event, p, prepared, nil) }
	if !prepared.Spec().Effect.Has(tools.Executes) {
		return w.finish(ctx, &d.Event, l, run())
	}
	return w.finish(ctx, &d.Event, l, w.observed(ctx, run))
}

// write runs a call that changes files. The claim holds the files' digests
// before and after, so that a redelivery can tell how far its predecessor came.
func (w site) write(ctx context.Context, d Delivery, p events.ToolApproved, prepared *tools.Prepared) error {
	l := w.lease(d.Event.Session, p)
	var settled *events.ToolSettled
	unshown, lost := false, false
	out := w.run(ctx, &d.Event, p, prepared, func(ctx context.Context, changes []tools.PlannedChange) error {
		if err := w.keepBefore(ctx, changes); err != nil {
			return err
		}
		l.claim.Changes = changes
		before, err := l.peek(ctx)
		if err != nil {
			return err
		}
		if before != nil {
			if settled, err = w.resume(ctx, p, l, *before); err != nil || settled != nil {
				return errors.Join(errResumed, err)
			}
		}
		if unshown = !shown(p.Changes, changes); unshown {
			return errNotShown
		}
		if before != nil {
			err = l.write(ctx)
		} else if before, err = l.take(ctx); before != nil {
			err = ErrClaimed
		}
		lost = errors.Is(err, ErrClaimed) || errors.Is(err, events.ErrConflict)
		return err
	})
	if lost { // by a moment, to another worker: the queue hands the call out again
		return fmt.Errorf("call %s: %w", p.Call, ErrClaimed)
	}
	if unshown {
		return w.answer(ctx, &d.Event, w.failed(p, "ERROR: the file changed after "+p.By+" was shown the diff, so nothing was written. "+
			"Read it again and repeat the call; it will be asked anew."))
	}
	if settled != nil {
		return w.finish(ctx, &d.Event, l, *settled)
	}
	for i := range out.Files {
		l.fillIn(&out.Files[i])
	}
	if out.Outcome == events.ToolDone {
		w.own.add(w.place(), l.claim.Changes)
	}
	if !l.held {
		return w.unclaimed(ctx, d, p, l, out)
	}
	return w.finish(ctx, &d.Event, l, out)
}

// errNotShown stops a write that is not the one that a person said yes to.
var errNotShown = errors.New("the change is not the one that was approved")

// shown tells whether a write would change exactly what the person was shown.
// Where nothing was shown, the yes was to the arguments.
func shown(approved []events.FileChange, planned []tools.PlannedChange) bool {
	if len(approved) == 0 {
		return true
	}
	if len(approved) != len(planned) {
		return false
	}
	for i, a := range approved {
		if p := planned[i]; a.Path != p.Path || a.Before != p.Before || a.After != p.After {
			return false
		}
	}
	return true
}

// errResumed stops a write whose predecessor's claim says how the call ended.
var errResumed = errors.New("the call was settled by its claim")

// unclaimed handles a write that did not come to its claim: it failed before
// it would change anything, or its predecessor has changed the files already
// and the same edit finds nothing to do.
func (w site) unclaimed(ctx context.Context, d Delivery, p events.ToolApproved, l *lease, out events.ToolSettled) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	before, err := l.peek(ctx)
	if err != nil {
		return err
	}
	if before == nil || before.Generation < p.Generation {
		return w.answer(ctx, &d.Event, out)
	}
	settled, err := w.resume(ctx, p, l, *before)
	if err != nil {
		return err
	}
	if settled == nil {
		settled = &out // nothing of it is in place, and it fails as it is now
	}
	return w.finish(ctx, &d.Event, l, *settled)
}

// resume reads what a predecessor's claim says. A nil outcome means that the
// call may run again, because every file is as it was before it.
func (w site) resume(ctx context.Context, p events.ToolApproved, l *lease, before claim) (*events.ToolSettled, error) {
	if before.Generation < p.Generation {
		return nil, nil
	}
	if before.Outcome != nil {
		return before.Outcome, nil
	}
	done, untouched := true, true
	var files []events.FileState
	for _, c := range before.Changes {
		state, err := tools.ResumeChange(ctx, w.Env, c)
		if err != nil {
			w.Logger.Warn("a claimed file cannot be looked at", "path", c.Path, "error", err)
		}
		done = done && state == tools.ChangeAfter
		untouched = untouched && state == tools.ChangeBefore
		files = append(files, events.FileState{Path: c.Path, SHA256: c.After, Size: c.AfterSize, Written: true, Before: c.Before,
			Mode: bits(c.AfterMode), BeforeMode: bits(c.BeforeMode)})
	}
	switch {
	case untouched:
		return nil, nil
	case done:
		text := "done: the change is in place; its first worker stopped after it"
		return &events.ToolSettled{Call: p.Call, Tool: p.Tool, Outcome: events.ToolDone, Text: text, SHA256: events.Digest([]byte(text)),
			Files: files, ArgsSHA256: p.ArgsSHA256, Generation: p.Generation}, nil
	}
	l.claim.Changes = before.Changes
	out := w.interrupted(p)
	return &out, nil
}

// finish records an outcome in the claim and then on the log. A lease that was
// taken over is silent: its successor settles the call.
func (w *Worker) finish(ctx context.Context, cause *events.Event, l *lease, out events.ToolSettled) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := l.settle(ctx, out)
	if errors.Is(err, events.ErrConflict) {
		w.Logger.Warn("the call was taken over; its outcome here does not count", "call", out.Call)
		return nil
	}
	if err != nil {
		return err
	}
	return w.answer(ctx, cause, out)
}

// run makes the call within its time, as long as its ticket and its session
// last, and turns the result into an outcome.
func (w site) run(ctx context.Context, cause *events.Event, p events.ToolApproved, prepared *tools.Prepared, before func(context.Context, []tools.PlannedChange) error) events.ToolSettled {
	watched, stop := w.kills.watch(ctx, cause.Session, p.Ticket, cause.Seq)
	defer stop()
	watched, end := w.untilClosed(watched, cause.Session, p)
	defer end()
	began := w.Clock()
	result, ended := stopped(watched, prepared.Run(watched, before))
	out := w.settled(ctx, p, result, w.Clock().Sub(began))
	if ended {
		out.Outcome = events.ToolKilled
	}
	return out
}

func (w site) settled(ctx context.Context, p events.ToolApproved, r tools.Result, took time.Duration) events.ToolSettled {
	out := events.ToolSettled{
		Call: p.Call, Tool: p.Tool, Outcome: events.ToolDone, Exit: r.Exit, Interpreter: r.Interpreter,
		ArgsSHA256: p.ArgsSHA256, Generation: p.Generation, DurationMS: took.Milliseconds(), Stderr: tiers.Tail(w.mask(r.Stderr), maxStderr),
	}
	if r.Failed {
		out.Outcome = events.ToolFailed
	}
	text := w.mask(r.Text)
	out.SHA256 = events.Digest([]byte(text))
	out.Text, out.TextBlob = w.inline(ctx, text)
	if out.TextBlob == nil {
		out.SHA256 = events.Digest([]byte(out.Text))
	}
	out.Data = w.twin(ctx, r)
	fitting := fittingFiles(r.Files, func(f tools.FileState) string { return f.Path })
	out.Unseen = slices.ContainsFunc(r.Files[fitting:], func(f tools.FileState) bool { return f.Written })
	for _, f := range r.Files[:fitting] {
		out.Files = append(out.Files, events.FileState{Path: f.Path, SHA256: f.SHA256, Size: f.Size, Written: f.Written})
	}
	w.keep(ctx, out.Files)
	return out
}

func (w *Worker) failed(p events.ToolApproved, text string) events.ToolSettled {
	return events.ToolSettled{Call: p.Call, Tool: p.Tool, Outcome: events.ToolFailed, Text: text, SHA256: events.Digest([]byte(text)),
		ArgsSHA256: p.ArgsSHA256, Generation: p.Generation}
}

func (w *Worker) interrupted(p events.ToolApproved) events.ToolSettled {
	out := w.failed(p, "ERROR: the call was interrupted: its worker stopped in the middle of it")
	out.Outcome = events.ToolInterrupted
	return out
}
