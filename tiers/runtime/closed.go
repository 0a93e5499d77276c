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

// stoppedText is for a call that was running when its session was closed.
const stoppedText = "ERROR: the session was closed before the call was done, so it was stopped"

// ending is why a call comes too late, and what its outcome says then.
type ending struct {
	tooLate   string // of a call that had not begun
	unchanged string // of one whose worker died before it wrote
	left      string // of one whose worker died in the middle of it
	outcome   string // of a call that had not begun
}

var (
	endClosed = ending{
		tooLate:   "ERROR: the session was closed before the call began; it was not run",
		unchanged: "ERROR: the session was closed before the call was done; it changed nothing",
		left:      "ERROR: the session was closed while the call ran, and its worker died; how far it came is not known",
		outcome:   events.ToolFailed,
	}
	endKilled = ending{
		tooLate:   "ERROR: the ticket was killed before the call began; it was not run",
		unchanged: "ERROR: the ticket was killed before the call was done; it changed nothing",
		left:      "ERROR: the ticket was killed while the call ran, and its worker died; how far it came is not known",
		outcome:   events.ToolKilled,
	}
)

// isLate tells whether a call comes behind the end of its session or of its
// ticket's attempt, and which; nil where it may run.
func (w *Worker) isLate(ctx context.Context, session string, p events.ToolApproved) (*ending, error) {
	if p.Tool != events.RestoreTool { // an undo never comes too late for its session
		if over, err := w.isOver(ctx, session); err != nil || over {
			return &endClosed, err
		}
	}
	if killed, err := w.isKilled(ctx, session, p); err != nil || killed {
		return &endKilled, err
	}
	return nil, nil
}

// notBegun is the outcome of a call that comes too late.
func (w *Worker) notBegun(p events.ToolApproved, end ending) events.ToolSettled {
	out := w.failed(p, end.tooLate)
	out.Outcome = end.outcome
	return out
}

// tooLate is the outcome of a claimed call whose ticket or session ended while it
// waited to begin: for room, for the bus or for a look at the files. It waits for
// the answer of the log. It returns nil if the call may begin, or if ctx ended.
func (w *Worker) tooLate(ctx context.Context, approval *events.Event, p events.ToolApproved) *events.ToolSettled {
	for said := false; ; said = true {
		end, err := w.isLate(ctx, approval.Session, p)
		switch {
		case err == nil && end == nil:
			return nil
		case err == nil:
			out := w.notBegun(p, *end)
			return &out
		case !said:
			w.Logger.Warn("a call waits until the log says whether it may begin", "call", p.Call, "error", err)
		}
		if pause(ctx, retryPause) != nil {
			return nil
		}
	}
}

// isOver tells whether a session is closed, wherever the request stands that
// asks: its sender may have decided it a moment before. The newest word mostly
// answers that. One that cannot be read ends nothing, as for every fold, and
// hides none before it.
func (w *Worker) isOver(ctx context.Context, session string) (bool, error) {
	last, found, err := w.Log.LastEvent(ctx, closing(w.Project, session))
	if err != nil || !found || events.Closes(last) {
		return found, err
	}
	return wasClosed(ctx, w.Log, w.Project, session)
}

// wasClosed reads whether a session is closed.
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
	return events.Filter{Project: project, Session: session, Type: events.NameOf[events.SessionClosed]()}
}

// untilClosed gives a context that ends when the session is closed or the ticket is
// killed, with errClosed or errKilled as its cause; for an undo it does not. It looks
// again and again, so a connection that was down for a while misses nothing.
func (w *Worker) untilClosed(ctx context.Context, session string, p events.ToolApproved) (context.Context, func()) {
	if p.Tool == events.RestoreTool {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		for pause(ctx, closePoll) == nil {
			if over, err := w.isOver(ctx, session); over && err == nil {
				cancel(errClosed)
			}
			if killed, err := w.isKilled(ctx, session, p); killed && err == nil {
				cancel(errKilled)
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

// afterClose answers a call that comes too late: nothing begins any more, and what
// a worker left in the middle is not taken up again.
func (w site) afterClose(ctx context.Context, d events.Delivery, p events.ToolApproved, effect tools.Effect,
	end ending) error {
	return w.settleUnrun(ctx, d, p, effect, w.notBegun(p, end), func(l *lease, before claim) (events.ToolSettled, error) {
		return w.left(ctx, p, l, before, effect, end)
	})
}

// left is the outcome of a call that its worker did not end, or did not get to
// record, in a session that is closed.
func (w site) left(ctx context.Context, p events.ToolApproved, l *lease, before claim, effect tools.Effect,
	end ending) (events.ToolSettled, error) {
	if before.Ended != "" {
		return *before.outcome(p), nil
	}
	unknown := w.failed(p, end.left)
	unknown.Outcome, unknown.Unseen = events.ToolKilled, effect.Has(tools.Executes) || len(before.Changes) > 0
	if len(before.Changes) == 0 {
		return unknown, nil
	}
	release, locked := w.lockChanges(ctx, before.Changes)
	defer release()
	settled, err := w.resume(ctx, p, l, before)
	switch {
	case err != nil:
		return events.ToolSettled{}, err
	case settled == nil && locked: // its holder is only stopped, and may still write
		return unknown, nil
	case settled == nil:
		out := w.failed(p, end.unchanged)
		out.Outcome = events.ToolKilled
		return out, nil
	case settled.Outcome == events.ToolInterrupted:
		return unknown, nil
	}
	return *settled, nil
}

// Late is a subscriber that hears what is said in sessions that are over.
type Late interface {
	// Late hands over an event of a session that was closed before. It may be
	// called for any event behind SessionClosed, and must not block for long.
	Late(ctx context.Context, e *events.Event)
}

// lateWords are the types of what is still answered in a session that is over.
func lateWords() []string {
	return []string{events.NameOf[events.UndoRequested](), events.NameOf[events.AskPosted]()}
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
