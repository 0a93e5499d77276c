package runtime

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"manualslop/events"
	"manualslop/tiers"
	"manualslop/tiers/runtime/livetail"
	"manualslop/tools"
	"manualslop/tools/sandbox"
)

// Limits of a ToolSettled, in bytes.
const (
	maxStderr = 8 << 10
	maxData   = 32 << 10
)

// maxFiles limits the number of files in a ToolSettled, and maxFilesSum their total size as JSON
// in bytes.
const (
	maxFiles    = 1000
	maxFilesSum = 256 << 10
)

// fittingFiles returns how many of the first files fit into an outcome.
func fittingFiles[F any](files []F, path func(F) string) int {
	const rest = 240 // size of the other members: two digests and the member names
	room := maxFilesSum
	for i, f := range files[:min(len(files), maxFiles)] {
		if room -= encoded(path(f)) + rest; room < 0 {
			return i
		}
	}
	return min(len(files), maxFiles)
}

// approved runs one call with exactly the approved arguments. If the call needs a claim, the claim
// decides what a redelivery may do.
func (w site) approved(ctx context.Context, d events.Delivery, p events.ToolApproved) error {
	if d.Event.Actor != events.ActorApproval {
		w.Logger.Error("a call without an approval is not run", "call", p.Call, "by", d.Event.Actor)
		return nil
	}
	digest, err := events.CanonicalDigest(p.Args)
	if err != nil || digest != p.ArgsSHA256 {
		w.Logger.Error("a call whose arguments are not the approved ones is not run", "call", p.Call)
		return w.answer(ctx, &d.Event, w.failed(p, "ERROR: the arguments are not the approved ones; the call was not run"))
	}
	env := w.Env
	env.Kept = w.Blobs.Get
	env.Server, env.Ask = w.watchServer(ctx, &d.Event), w.askPerson(&d.Event, p.Call)
	env.Notify = w.passOn(ctx, &d.Event, p.Call)
	env.Client, _ = events.MCPServerOf(p.Call)
	if w.Signals != nil && p.Tool == "run_powershell" {
		out, errs := w.liveTail(ctx, &d.Event, p.Call), w.liveTail(ctx, &d.Event, p.Call)
		defer out.Close()
		defer errs.Close()
		env.Output, env.Errors = out.Write, errs.Write
	}
	if p.TimeoutMS > 0 {
		env.Shell.Timeout, env.Shell.MaxTimeout = time.Duration(p.TimeoutMS)*time.Millisecond, 0
	}
	prepared, err := w.Tools.Prepare(ctx, env, p.Tool, p.Args)
	if err != nil {
		return w.unprepared(ctx, d, p, err)
	}
	effect := prepared.Spec().Effect
	if end, err := w.isLate(ctx, d.Event.Session, p); err != nil {
		return err
	} else if end != nil {
		return w.afterClose(ctx, d, p, effect, *end)
	}
	switch {
	case effect.Has(tools.Writes) && prepared.Plans():
		return w.write(ctx, d, p, prepared)
	case effect.Has(tools.Writes), effect.Has(tools.Executes):
		return w.execute(ctx, d, p, prepared)
	}
	out, _ := w.run(ctx, &d.Event, p, prepared, nil)
	out.Unchanged = len(p.Known) > 0 && w.unchanged(ctx, p.Known)
	return w.answer(ctx, &d.Event, out)
}

// execute runs a call whose progress cannot be checked afterwards, such as a script or a change
// outside the project's files. Once claimed, it is never run again unless a user asks for it.
func (w site) execute(ctx context.Context, d events.Delivery, p events.ToolApproved, prepared *tools.Prepared) error {
	l := w.lease(&d.Event, p)
	before, err := l.take(ctx)
	if err != nil {
		return err
	}
	settled, begun, err := l.before(ctx)
	if settled || err != nil {
		return err
	}
	if err := l.busy(ctx, before); err != nil {
		return err
	}
	switch {
	case before == nil:
	case before.Ended != "" && before.Generation >= p.Generation:
		return w.report(ctx, &d.Event, l, *before.outcome(p))
	case before.Generation >= p.Generation:
		return w.finish(ctx, &d.Event, l, w.interrupted(p))
	default: // a user requested a rerun
		if err := l.write(ctx); err != nil {
			return err
		}
		if begun, err = l.begunBefore(ctx); err != nil { // again, because nobody else can start it from now on
			return err
		}
	}
	if begun {
		return w.finish(ctx, &d.Event, l, w.interrupted(p))
	}
	if err := l.begin(ctx, &d.Event); err != nil {
		return err
	}
	run := func() (events.ToolSettled, bool) {
		if late := w.tooLate(ctx, &d.Event, p); late != nil {
			return *late, false
		}
		out, _ := w.run(ctx, &d.Event, p, prepared, nil)
		return out, true
	}
	var out events.ToolSettled
	if prepared.Spec().Effect.Has(tools.Executes) {
		out = w.observed(ctx, run)
	} else {
		out, _ = run()
	}
	if ctx.Err() != nil && !complete(out) {
		return ctx.Err() // this worker was stopped; the next one reports the interruption
	}
	ctx, end := outlasting(ctx)
	defer end()
	return w.finish(ctx, &d.Event, l, out)
}

// complete reports whether a call ended by itself, or with its ticket or session, so that stopping
// the worker did not affect its outcome.
func complete(out events.ToolSettled) bool {
	return out.Outcome == events.ToolDone || out.Outcome == events.ToolKilled || out.Exit != nil
}

// write runs a call that changes files. The claim holds the files' digests before and after, so
// that a redelivery can determine how far the earlier attempt got. If claiming fails, the call has
// no outcome and is redelivered.
func (w site) write(ctx context.Context, d events.Delivery, p events.ToolApproved, prepared *tools.Prepared) error {
	l := w.lease(&d.Event, p)
	g := gate{lease: l}
	out, cause := w.run(ctx, &d.Event, p, prepared, func(_ context.Context, changes []tools.PlannedChange) error {
		return w.enter(ctx, &g, changes) // ending ctx does not stop the claim; see stillDue
	})
	switch {
	case g.over || g.trouble != nil:
		return g.trouble
	case g.unshown:
		if over, err := l.settledBefore(ctx); over || err != nil {
			return err
		}
		return w.answer(ctx, &d.Event, w.failed(p, "ERROR: the file changed after "+p.By+" was shown the diff, so nothing "+
			"was written. "+
			"Read it again and repeat the call; it needs a new approval."))
	case g.settled != nil:
		return w.finish(ctx, &d.Event, l, *g.settled)
	}
	for i := range out.Files {
		l.fillIn(&out.Files[i])
	}
	if out.Outcome == events.ToolDone {
		w.own.add(w.place(), l.claim.Changes)
		out.Edited = edited(l.claim.Changes)
	}
	if !l.held {
		return w.unclaimed(ctx, d, p, l, out, errors.Is(cause, sandbox.ErrBusy))
	}
	return w.finish(ctx, &d.Event, l, out)
}

// gate controls whether a planned write may change its files.
type gate struct {
	*lease
	settled *events.ToolSettled // the outcome, if nothing may be written
	over    bool                // the log has an outcome
	unshown bool                // the change is not the one that a user approved
	trouble error               // the claim could not be created, or another worker holds it
}

// enter admits a write that is still allowed. A refusal becomes the call's outcome.
func (w site) enter(ctx context.Context, g *gate, changes []tools.PlannedChange) error {
	err := w.claimWrite(ctx, g, changes)
	_, refused := errors.AsType[*tools.Refusal](err)
	if err != nil && ctx.Err() == nil && !refused && !errors.Is(err, errResumed) && !errors.Is(err, errNotShown) {
		g.trouble = fmt.Errorf("claim of call %s: %w", g.call.Call, err)
	}
	return err
}

// claimWrite takes the claim of a write whose files have the expected content.
func (w site) claimWrite(ctx context.Context, g *gate, changes []tools.PlannedChange) error {
	if err := w.keepBefore(ctx, changes); err != nil {
		return err
	}
	g.claim.Changes = changes
	before, err := g.peek(ctx)
	if err != nil {
		return err
	}
	if before != nil {
		if err := w.predecessor(ctx, g, before); err != nil {
			return err
		}
	}
	if g.unshown = !shown(g.call.Changes, changes); g.unshown {
		return errNotShown
	}
	if before != nil {
		err = g.write(ctx)
	} else {
		err = g.takeFresh(ctx)
	}
	if err == nil {
		err = w.stillDue(ctx, g)
	}
	return err
}

// takeFresh claims a call that has no claim yet.
func (g *gate) takeFresh(ctx context.Context) error {
	before, err := g.take(ctx)
	if err != nil {
		return err
	}
	if before != nil { // another worker just claimed it
		return events.ErrClaimed
	}
	if g.over, err = g.settledBefore(ctx); g.over {
		return errResumed
	}
	return err
}

// stillDue returns errResumed if the call's ticket or session ended while it
// waited for its files and its claim.
func (w site) stillDue(ctx context.Context, g *gate) error {
	end, err := w.isLate(ctx, g.session, g.call)
	if end == nil || err != nil {
		return err
	}
	out := w.notBegun(g.call, *end)
	g.settled = &out
	return errResumed
}

// predecessor reads the claim of an earlier delivery. It returns errResumed if
// the claim says how the call ended.
func (w site) predecessor(ctx context.Context, g *gate, before *claim) (err error) {
	if g.over, err = g.settledBefore(ctx); err != nil {
		return err
	}
	if g.over {
		return errResumed
	}
	if err := g.busy(ctx, before); err != nil {
		return err
	}
	if g.settled, err = w.resume(ctx, g.call, g.lease, *before); err != nil {
		return err
	}
	if g.settled != nil {
		return errResumed
	}
	return nil
}

// errNotShown stops a write that differs from the one that a user approved.
var errNotShown = errors.New("the change is not the one that was approved")

// errResumed stops a write whose outcome is already known.
var errResumed = errors.New("the call already has its outcome")

// finish records an outcome in the claim and then in the log. If the lease was taken over, it does
// nothing: the new holder settles the call.
func (w *Worker) finish(ctx context.Context, cause *events.Event, l *lease, out events.ToolSettled) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := l.settle(ctx, out)
	if errors.Is(err, events.ErrConflict) {
		w.Logger.Warn("the call was taken over; its outcome here is discarded", "call", out.Call)
		return events.ErrTakenOver
	}
	if err != nil {
		return err
	}
	return w.report(ctx, cause, l, out)
}

// report writes an outcome to the log, and then purges the claim.
func (w *Worker) report(ctx context.Context, cause *events.Event, l *lease, out events.ToolSettled) error {
	if err := w.answer(ctx, cause, out); err != nil {
		return err
	}
	l.purge(ctx)
	return nil
}

// run executes the call within its time limit and while its ticket and session
// are active, and turns the result into an outcome. It also returns why the
// call failed.
func (w site) run(ctx context.Context, cause *events.Event, p events.ToolApproved, prepared *tools.Prepared,
	before func(context.Context, []tools.PlannedChange) error) (events.ToolSettled, error) {
	watched, stop := w.kills.watch(ctx, cause.Session, p)
	defer stop()
	watched, end := w.untilClosed(watched, cause.Session, p)
	defer end()
	began := w.Clock()
	result, ended := stopped(watched, prepared.Run(watched, before))
	lasting, free := outlasting(ctx)
	defer free()
	out := w.settled(lasting, p, result, w.Clock().Sub(began))
	if ended {
		out.Outcome = events.ToolKilled
	}
	return out, result.Err
}

func (w site) settled(ctx context.Context, p events.ToolApproved, r tools.Result,
	took time.Duration) events.ToolSettled {
	out := events.ToolSettled{
		Call: p.Call, Tool: p.Tool, Outcome: events.ToolDone, Own: r.Own, Exit: r.Exit, Interpreter: r.Interpreter,
		ArgsSHA256: p.ArgsSHA256, Generation: p.Generation, DurationMS: took.Milliseconds(),
		Stderr: tiers.Tail(w.mask(r.Stderr), maxStderr),
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
	out.Content = w.contents(ctx, r.Content)
	room := maxBlocks
	for _, n := range r.Notices {
		kept := w.notice(n)
		if room -= encoded(kept.Text) + encoded(kept.Logger) + encoded(kept.Level); room < 0 {
			break
		}
		out.Notices = append(out.Notices, kept)
	}
	fitting := fittingFiles(r.Files, func(f tools.FileState) string { return f.Path })
	out.Unseen = slices.ContainsFunc(r.Files[fitting:], func(f tools.FileState) bool { return f.Written })
	for _, f := range r.Files[:fitting] {
		out.Files = append(out.Files, events.FileState{Path: f.Path, SHA256: f.SHA256, Size: f.Size, Written: f.Written})
	}
	w.keep(ctx, out.Files)
	return out
}

func (w *Worker) failed(p events.ToolApproved, text string) events.ToolSettled {
	return events.ToolSettled{Call: p.Call, Tool: p.Tool, Outcome: events.ToolFailed, Text: text,
		SHA256:     events.Digest([]byte(text)),
		ArgsSHA256: p.ArgsSHA256, Generation: p.Generation}
}

func (w *Worker) interrupted(p events.ToolApproved) events.ToolSettled {
	out := w.failed(p, "ERROR: the call was interrupted: its worker stopped in the middle of it")
	out.Outcome = events.ToolInterrupted
	return out
}

// liveTail passes on the last lines of a stream of a running call to whoever listens.
func (w *Worker) liveTail(ctx context.Context, cause *events.Event, call string) *livetail.Tail {
	ctx = context.WithoutCancel(ctx)
	return livetail.New(w.mask, func(lines []string) {
		body, err := json.Marshal(events.OutputSignal{Call: call, Lines: lines})
		if err == nil {
			err = w.Signals.Signal(ctx, cause.Project, cause.Session, w.Name, events.SignalOutput, body)
		}
		if err != nil {
			w.Logger.Debug("cannot pass on the output of a call", "error", err)
		}
	})
}
