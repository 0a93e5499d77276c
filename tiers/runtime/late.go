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

// lateWords are the types of what is still answered in a session that is over.
func lateWords() []string {
	return []string{events.UndoRequested{}.EventType().Name, events.AskPosted{}.EventType().Name}
}

// Late lets approval answer an undo, and a program's question that crossed the
// closing, in a session that is over; nothing else is decided there.
func (o *Orchestrator) Late(ctx context.Context, e *events.Event) {
	switch e.Payload.(type) {
	case events.UndoRequested, events.AskPosted:
	default:
		return
	}
	for _, r := range o.Roles {
		h := o.handler(r, e.Session)
		if h.Machine.Name() != events.ActorApproval {
			continue
		}
		h.snapshots = nil // it would stay: nobody decides in the session any more
		o.mu.Lock()
		o.ledger.hears(e)
		o.mu.Unlock()
		o.wg.Go(func() {
			o.late.Lock()
			defer o.late.Unlock()
			history, err := readSession(ctx, r.Log, o.Project, e.Session, 1)
			if err != nil {
				if ctx.Err() == nil {
					o.Logger.Error("a session that is over could not be read, and something in it is not answered", "type", e.Type,
						"session", e.Session, "error", err)
				}
				return
			}
			if h.fold(ctx, history) {
				o.mu.Lock()
				o.ledger.answered(e.Session)
				o.mu.Unlock()
			}
		})
	}
}

// readSession reads the events of a session from a sequence on.
func readSession(ctx context.Context, log events.Log, project, session string, from uint64) ([]*events.Event, error) {
	registry := events.Catalogue()
	var out []*events.Event
	for e, err := range log.Read(ctx, events.Filter{Project: project, Session: session}, from, 0) {
		if err != nil {
			return nil, err
		}
		registry.Decode(&e)
		out = append(out, &e)
	}
	return out, nil
}
