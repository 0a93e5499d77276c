package runtime

import (
	"context"

	"manualslop/events"
)

// tooLateText is what becomes of a call whose session was closed before it began.
const tooLateText = "ERROR: the session was closed before the call began; it was not run"

// tooLate tells whether a session was closed between the yes to a call and its
// beginning. One that has begun is carried to its end, and an undo is made.
func (w site) tooLate(ctx context.Context, d Delivery, p events.ToolApproved) (bool, error) {
	if p.Tool == events.RestoreTool {
		return false, nil
	}
	closed, err := w.Log.Last(ctx, events.Filter{Project: w.Project, Session: d.Event.Session, Type: events.SessionClosed{}.EventType().Name})
	if err != nil || closed <= d.Event.Seq {
		return false, err
	}
	begun, err := w.lease(d.Event.Session, p).peek(ctx)
	return begun == nil, err
}
