package runtime

import (
	"context"
	"errors"
	"time"

	"manualslop/events"
	"manualslop/tools"
)

// closePoll is how often a running call checks whether its session was closed.
const closePoll = 100 * time.Millisecond

// stoppedText is the result of a call that was running when its session was closed.
const stoppedText = "ERROR: the session was closed before the call was done, so it was stopped"

// ending describes why a call is too late, and the texts of its outcome.
type ending struct {
	tooLate   string // for a call that had not started
	unchanged string // for a call whose worker died before it wrote
	left      string // for a call whose worker died while writing
	outcome   string // kind of outcome of a call that had not started
}

var (
	endClosed = ending{
		tooLate:   "ERROR: the session was closed before the call began; it was not run",
		unchanged: "ERROR: the session was closed before the call was done; it changed nothing",
		left: "ERROR: the session was closed while the call ran, and its worker died; how much of it was " +
			"done is unknown",
		outcome: events.ToolFailed,
	}
	endKilled = ending{
		tooLate:   "ERROR: the ticket was killed before the call began; it was not run",
		unchanged: "ERROR: the ticket was killed before the call was done; it changed nothing",
		left:      "ERROR: the ticket was killed while the call ran, and its worker died; how much of it was done is unknown",
		outcome:   events.ToolKilled,
	}
)

// isLate returns the ending, of the session or of the ticket's attempt, after which a call comes
// too late; nil if it may run.
func (w *Worker) isLate(ctx context.Context, session string, p events.ToolApproved) (*ending, error) {
	if p.Tool != events.RestoreTool { // an undo is allowed after the end of its session
		if over, err := w.isOver(ctx, session); err != nil || over {
			return &endClosed, err
		}
	}
	if killed, err := w.isKilled(ctx, session, p); err != nil || killed {
		return &endKilled, err
	}
	return nil, nil
}

// notBegun returns the outcome of a call that came too late to start.
func (w *Worker) notBegun(p events.ToolApproved, end ending) events.ToolSettled {
	out := w.failed(p, end.tooLate)
	out.Outcome = end.outcome
	return out
}

// tooLate returns the outcome of a claimed call whose ticket or session ended while the call
// waited to start: for room, for the bus or for a check of the files. It waits until the log
// answers. It returns nil if the call may start, or if ctx ended.
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
			w.Logger.Warn("a call waits until the log shows whether it may start", "call", p.Call, "error", err)
		}
		if pause(ctx, retryPause) != nil {
			return nil
		}
	}
}

// isOver reports whether a session is closed, wherever the request is in the log, since it may
// have been approved just before the closing. Usually the newest event is enough. An unreadable
// event closes nothing, as in every fold, and does not hide an earlier closing.
func (w *Worker) isOver(ctx context.Context, session string) (bool, error) {
	last, found, err := w.Log.LastEvent(ctx, closing(w.Project, session))
	if err != nil || !found || events.Closes(last) {
		return found, err
	}
	return wasClosed(ctx, w.Log, w.Project, session)
}

// wasClosed reads the log to find out whether a session is closed.
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

// closing returns the filter for the events that close a session.
func closing(project, session string) events.Filter {
	return events.Filter{Project: project, Session: session, Type: events.NameOf[events.SessionClosed]()}
}

// untilClosed returns a context that ends when the session is closed or the ticket is killed, with
// errClosed or errKilled as its cause. For an undo it returns ctx itself. It polls, so a lost
// connection misses nothing.
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

// stopped sets the outcome of a call that ended with ctx, because its ticket or session ended. A
// program that ended by itself was not stopped.
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

// afterClose answers a call that is too late: nothing starts any more, and interrupted work is not
// resumed.
func (w site) afterClose(ctx context.Context, d events.Delivery, p events.ToolApproved, effect tools.Effect,
	end ending) error {
	return w.settleUnrun(ctx, d, p, effect, w.notBegun(p, end), func(l *lease, before claim) (events.ToolSettled, error) {
		return w.left(ctx, p, l, before, effect, end)
	})
}

// left returns the outcome of a call in a closed session whose worker did not finish it or did not
// record its outcome.
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
	case settled == nil && locked: // its holder may only be suspended, and may still write
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

// Late is a subscriber that also receives events of closed sessions.
type Late interface {
	// Late passes an event of a session that was already closed. It may be called for any event
	// after SessionClosed, and must not block for long.
	Late(ctx context.Context, e *events.Event)
}

// lateWords returns the types of events that are still handled in a closed session.
func lateWords() []string {
	return []string{events.NameOf[events.UndoRequested](), events.NameOf[events.AskPosted]()}
}

// Late lets approval answer two kinds of events in a closed session: an undo, and a question
// that a program posted while the session was being closed. Nothing else is decided in a closed
// session.
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
		h.snapshots = nil // a snapshot would never be removed, because the session is closed
		o.mu.Lock()
		o.ledger.hears(e)
		o.mu.Unlock()
		o.wg.Go(func() {
			o.late.Lock()
			defer o.late.Unlock()
			history, err := readSession(ctx, r.Log, o.Project, e.Session, 1)
			if err != nil {
				if ctx.Err() == nil {
					o.Logger.Error("cannot read a closed session; something in it remains unanswered", "type", e.Type,
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
