package runtime

import (
	"context"
	"errors"
	"time"

	"manualslop/events"
	"manualslop/tools"
)

// closePoll is how often a call under way looks whether its session was closed.
const closePoll = 100 * time.Millisecond

// What becomes of a call whose session was closed.
const (
	// tooLateText is for one that had not begun.
	tooLateText = "ERROR: the session was closed before the call began; it was not run"
	// stoppedText is for one that was running.
	stoppedText = "ERROR: the session was closed before the call was done, so it was stopped"
	// unchangedText is for one whose worker died before it wrote.
	unchangedText = "ERROR: the session was closed before the call was done; it changed nothing"
	// leftText is for one whose worker died in the middle of it.
	leftText = "ERROR: the session was closed while the call ran, and its worker died; how far it came is not known"
)

// isOver tells whether a call comes behind its session, wherever the yes to it
// stands: approval may have decided it a moment before. An undo never does. A
// worker may read no more than the newest word; one that cannot be read ends
// nothing, as for every fold.
func (w *Worker) isOver(ctx context.Context, session string, p events.ToolApproved) (bool, error) {
	if p.Tool == events.RestoreTool {
		return false, nil
	}
	last, found, err := w.Log.LastEvent(ctx, closing(w.Project, session))
	return found && events.Closes(last), err
}

// wasClosed is isOver of a session for who may read all of it.
func wasClosed(ctx context.Context, log events.Log, project, session string) (bool, error) {
	for e, err := range log.Read(ctx, closing(project, session), 1, 0) {
		if err != nil {
			return false, err
		}
		if events.Closes(e) {
			return true, nil
		}
	}
	return false, nil
}

// closing are the events that say that a session is closed.
func closing(project, session string) events.Filter {
	return events.Filter{Project: project, Session: session, Type: events.SessionClosed{}.EventType().Name}
}

// untilClosed gives a context that ends when the session is closed, with
// errClosed as its cause; for an undo it does not. It looks again and again, so
// a connection that was down for a while misses nothing.
func (w *Worker) untilClosed(ctx context.Context, session string, p events.ToolApproved) (context.Context, func()) {
	if p.Tool == events.RestoreTool {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		for pause(ctx, closePoll) == nil {
			if over, err := w.isOver(ctx, session, p); over && err == nil {
				cancel(errClosed)
			}
		}
	}()
	return ctx, func() { cancel(nil) }
}

// stopped words the outcome of a call that ended when ctx did: with its ticket,
// or with its session. A program that came to its end by itself was not stopped.
func stopped(ctx context.Context, r tools.Result) (tools.Result, bool) {
	switch cause := context.Cause(ctx); {
	case !r.Failed:
		return r, false
	case errors.Is(cause, errKilled):
		return r, true
	case errors.Is(cause, errClosed) && r.Exit == nil:
		if r.Text = stoppedText + "\n" + r.Text; errors.Is(r.Err, context.Canceled) {
			r.Text = stoppedText
		}
		return r, true
	}
	return r, false
}

// afterClose answers a call of a session that is closed: nothing begins there
// any more, and what a worker left in the middle is not taken up again. The
// answer is the call's claim, so whoever found the session open and is slow
// cannot begin it.
func (w site) afterClose(ctx context.Context, d Delivery, p events.ToolApproved, effect tools.Effect) error {
	out := w.failed(p, tooLateText)
	if !effect.Has(tools.Writes) && !effect.Has(tools.Executes) { // such a call has no claim
		return w.answer(ctx, &d.Event, out)
	}
	l := w.lease(d.Event.Session, p)
	l.claim.Outcome = &out
	before, err := l.take(ctx)
	switch {
	case err != nil:
		return err
	case before == nil:
		return w.answer(ctx, &d.Event, out)
	case before.Generation >= p.Generation:
		if out, err = w.left(ctx, p, l, *before, effect); err != nil {
			return err
		}
	}
	return w.finish(ctx, &d.Event, l, out)
}

// left is the outcome of a call that its worker did not end, or did not get to
// record, in a session that is closed.
func (w site) left(ctx context.Context, p events.ToolApproved, l *lease, before claim, effect tools.Effect) (events.ToolSettled, error) {
	if before.Outcome != nil {
		return *before.Outcome, nil
	}
	unknown := w.failed(p, leftText)
	unknown.Outcome, unknown.Unseen = events.ToolKilled, effect.Has(tools.Executes) || len(before.Changes) > 0
	if len(before.Changes) == 0 {
		return unknown, nil
	}
	settled, err := w.resume(ctx, p, l, before)
	switch {
	case err != nil:
		return events.ToolSettled{}, err
	case settled == nil:
		out := w.failed(p, unchangedText)
		out.Outcome = events.ToolKilled
		return out, nil
	case settled.Outcome == events.ToolInterrupted:
		return unknown, nil
	}
	return *settled, nil
}
