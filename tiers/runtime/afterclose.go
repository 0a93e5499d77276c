package runtime

import (
	"context"

	"manualslop/events"
)

// tooLateText is what becomes of a call whose session was closed before it began.
const tooLateText = "ERROR: the session was closed before the call began; it was not run"

// tooLate answers a call whose session was closed between the yes to it and its
// beginning; false where it is to go on: the session is open, the call has begun
// or is answered, or it is an undo. The answer is the call's claim, so whoever
// found the session open and is slow cannot begin it any more.
func (w site) tooLate(ctx context.Context, d Delivery, p events.ToolApproved) (bool, error) {
	if p.Tool == events.RestoreTool {
		return false, nil
	}
	closed, err := closedAt(ctx, w.Log, w.Project, d.Event.Session)
	if err != nil || closed <= d.Event.Seq {
		return false, err
	}
	out := w.failed(p, tooLateText)
	l := w.lease(d.Event.Session, p)
	l.claim.Outcome = &out
	if before, err := l.take(ctx); err != nil || before != nil {
		return false, err
	}
	return true, w.answer(ctx, &d.Event, out)
}

// closedAt is the sequence of the event that closed a session; 0: none did.
func closedAt(ctx context.Context, log events.Log, project, session string) (uint64, error) {
	return log.Last(ctx, events.Filter{Project: project, Session: session, Type: events.SessionClosed{}.EventType().Name})
}
