package runtime

import (
	"context"
	"errors"
	"time"

	"manualslop/events"
	"manualslop/tools"
	"manualslop/tools/sandbox"
)

// unprepared answers a call that this worker cannot make: it does not have the
// tool, or not in the version whose arguments were approved. A call of which a
// claim says how it ended ends so. One that another worker began and did not end
// is put off: that worker, or one with its tools, can tell how far it came.
func (w site) unprepared(ctx context.Context, d Delivery, p events.ToolApproved, why error) error {
	effect := approvedEffect(p)
	if end, err := w.isLate(ctx, d.Event.Session, p); err != nil {
		return err
	} else if end != nil {
		return w.afterClose(ctx, d, p, effect, *end)
	}
	out := w.settled(ctx, p, tools.Failure(why), 0)
	return w.settleUnrun(ctx, d, p, effect, out, func(l *lease, before claim) (events.ToolSettled, error) {
		if before.Ended != "" {
			return *before.outcome(p), nil
		}
		if err := l.busy(ctx, &before); err != nil {
			return out, err
		}
		return out, &events.NotBeforeError{Time: time.Now().Add(newerPause),
			Reason: "worker " + before.Worker + " began it, and this worker cannot: " + why.Error()}
	})
}

// settleUnrun settles a call that does not begin here with an outcome. That is the
// call's claim, so a slow worker that found the call open cannot begin it. Where
// this approval of the call was claimed before, earlier says what it came to.
func (w site) settleUnrun(ctx context.Context, d Delivery, p events.ToolApproved, effect tools.Effect,
	out events.ToolSettled,
	earlier func(*lease, claim) (events.ToolSettled, error)) error {
	if !changing(effect) { // such a call has no claim
		return w.answer(ctx, &d.Event, out)
	}
	l := w.lease(&d.Event, p)
	if err := l.ended(ctx, out); err != nil {
		return err
	}
	before, err := l.take(ctx)
	if err != nil {
		return err
	}
	if over, err := l.settledBefore(ctx); over || err != nil {
		return err
	}
	switch {
	case before == nil:
		return w.report(ctx, &d.Event, l, out)
	case before.Generation >= p.Generation:
		if out, err = earlier(l, *before); err != nil {
			return err
		}
	}
	return w.finish(ctx, &d.Event, l, out)
}

// approvedEffect is the effect that a call was approved with. A call without a
// readable one counts as changing.
func approvedEffect(p events.ToolApproved) tools.Effect {
	var effect tools.Effect
	if err := effect.UnmarshalText([]byte(p.Effect)); err != nil {
		return tools.Executes
	}
	return effect
}

// changing tells whether a call of an effect has a claim.
func changing(e tools.Effect) bool { return e.Has(tools.Writes) || e.Has(tools.Executes) }

// lockWait bounds the wait for the files of a call that is not taken up again.
const lockWait = time.Second

// lockChanges keeps other writers from the files of a claim until release.
// locked tells that another writer holds them.
func (w site) lockChanges(ctx context.Context, changes []tools.PlannedChange) (release func(), locked bool) {
	ctx, cancel := context.WithTimeoutCause(ctx, lockWait, sandbox.ErrBusy)
	defer cancel()
	names := make([]string, 0, len(changes))
	for _, c := range changes {
		names = append(names, c.Path)
	}
	guard, err := w.Env.Workspace.Lock(ctx, names...)
	if err != nil {
		return func() {}, errors.Is(err, sandbox.ErrBusy)
	}
	return guard.Release, false
}

// unclaimed handles a write that did not come to its claim: it failed before
// it would change anything, or its predecessor has changed the files already
// and the same edit finds nothing to do. A predecessor that is only stopped holds
// the lock on its files and may still write, so the call is put off.
func (w site) unclaimed(ctx context.Context, d Delivery, p events.ToolApproved, l *lease, out events.ToolSettled,
	locked bool) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	before, err := l.peek(ctx)
	if err != nil {
		return err
	}
	if over, err := l.settledBefore(ctx); over || err != nil {
		return err
	}
	if before == nil || before.Generation < p.Generation {
		return w.answer(ctx, &d.Event, out)
	}
	if err := l.busy(ctx, before); err != nil {
		return err
	}
	settled, err := w.resume(ctx, p, l, *before)
	if err != nil {
		return err
	}
	if settled == nil && locked {
		return &events.NotBeforeError{Time: time.Now().Add(busyPause),
			Reason: "worker " + before.Worker + " claimed it, and its files are locked"}
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
	if before.Ended != "" {
		return before.outcome(p), nil
	}
	if before.Lost {
		out := w.interrupted(p)
		return &out, nil
	}
	done, untouched := true, true
	for _, c := range before.Changes {
		state, err := tools.ResumeChange(ctx, w.Env, c)
		if err != nil {
			w.Logger.Warn("a claimed file cannot be looked at", "path", c.Path, "error", err)
		}
		done = done && state == tools.ChangeAfter
		untouched = untouched && state == tools.ChangeBefore
	}
	switch {
	case untouched:
		return nil, nil
	case done:
		return inPlace(p, before.Changes), nil
	}
	l.claim.Changes = before.Changes
	out := w.interrupted(p)
	return &out, nil
}
