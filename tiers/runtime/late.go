package runtime

import (
	"context"

	"manualslop/events"
)

// Late is a subscriber that hears what is said in sessions that are over.
type Late interface {
	// Late hands over an event of a session that was closed before. It may be
	// called for any event behind SessionClosed, and must not block for long.
	Late(ctx context.Context, e *events.Event)
}

// Late lets approval answer an undo in a session that is over; nothing else is
// decided there.
func (o *Orchestrator) Late(ctx context.Context, e *events.Event) {
	if _, undo := e.Payload.(events.UndoRequested); !undo {
		return
	}
	for _, r := range o.Roles {
		m := r.Start()
		if m.Name() != events.ActorApproval {
			continue
		}
		h := newHandler(m, r.Log, o.Logger, o.Project, e.Session)
		h.stopped = o.Stopped
		close(h.in)
		o.wg.Go(func() {
			o.late.Lock()
			defer o.late.Unlock()
			history, err := wholeSession(ctx, r.Log, o.Project, e.Session)
			if err != nil {
				if ctx.Err() == nil {
					o.Logger.Error("an undo in a session that is over was not answered", "session", e.Session, "error", err)
				}
				return
			}
			h.run(ctx, history)
		})
	}
}

// wholeSession reads all events of a session.
func wholeSession(ctx context.Context, log events.Log, project, session string) ([]*events.Event, error) {
	registry := events.Catalogue()
	var out []*events.Event
	for e, err := range log.Read(ctx, events.Filter{Project: project, Session: session}, 1, 0) {
		if err != nil {
			return nil, err
		}
		registry.Decode(&e)
		out = append(out, &e)
	}
	return out, nil
}
