package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"manualslop/events"
	"manualslop/tiers"
)

// overPoll is how often an attempt that runs looks whether anybody
// still waits for its outcome.
const overPoll = 50 * time.Millisecond

// handle makes the attempt that a delivery asks for. A process that was silent
// too long, because it was busy or the machine slept, gets the same request
// again; that delivery is left to the attempt under way.
func (m *Models) handle(ctx context.Context, d events.Delivery) error {
	if err := needsNewer(&d.Event); err != nil {
		return err
	}
	tr := m.Transcripts.session(d.Event.Session)
	if tr.reached() == 0 { // not begun: it may be over for so long that nobody reads it any more
		closed, err := wasClosed(ctx, m.Log, m.Project, d.Event.Session)
		if err != nil {
			return err
		}
		if closed { // before the request or behind it
			return m.cancelled(ctx, &d.Event)
		}
	}
	if err := tr.await(ctx, d.Event.Seq); err != nil {
		return err
	}
	e, p := tr.due(&d.Event)
	if e == nil {
		if tr.isOver() && !tr.isAnswered(d.Event.ID) { // guarded, and approval will not allow it any more
			return m.cancelled(ctx, &d.Event)
		}
		return nil
	}
	return m.calling.only(e.Session+" "+e.ID, func() error { return m.attempt(ctx, tr, e, p, d) })
}

// cancelled answers a request of a session that is over, of which this process
// knows nothing else: its attempt died with another one, or was never made.
func (m *Models) cancelled(ctx context.Context, e *events.Event) error {
	request, err := m.requestOf(ctx, e)
	if err != nil || request == nil {
		return err
	}
	failed := events.ModelFailed{Request: request.ID, Kind: events.ModelCancelled, Message: errClosed.Error()}
	registry := events.Catalogue()
	registry.Decode(request)
	asked := tiers.Asked(request)
	if asked == nil {
		return nil
	}
	for e, err := range m.Log.Read(ctx, events.Filter{Project: m.Project, Session: request.Session}, request.Seq, 0) {
		if err != nil {
			return err
		}
		registry.Decode(&e)
		if asked.Settles(&e) {
			return nil
		}
		if sent, ok := e.Payload.(events.ModelStarted); ok && sent.Request == request.ID {
			failed.Usage = &sent.MaxUsage
		}
	}
	return m.publish(ctx, request, failed)
}

// requestOf is the request that a delivery is about; nil where it is none.
func (m *Models) requestOf(ctx context.Context, e *events.Event) (*events.Event, error) {
	switch p := e.Payload.(type) {
	case events.ModelRequested:
		return e, nil
	case events.ModelApproved:
		registry := events.Catalogue()
		f := events.Filter{Project: m.Project, Session: e.Session, Type: events.NameOf[events.ModelRequested]()}
		for asked, err := range m.Log.Read(ctx, f, 1, e.Seq) {
			if err != nil {
				return nil, err
			}
			if asked.ID != p.Request {
				continue
			}
			registry.Decode(&asked)
			if r, ok := asked.Payload.(events.ModelRequested); ok && r.Guarded {
				return &asked, nil
			}
		}
	}
	return nil, nil
}

// cancelWhenOver ends the call when nobody waits for its outcome any more, until
// stop is called.
func cancelWhenOver(tr *transcript, id string, p events.ModelRequested, cancel context.CancelCauseFunc) (stop func()) {
	var mu sync.Mutex
	mu.Lock()
	defer mu.Unlock()
	stopped := false
	var timer *time.Timer
	timer = time.AfterFunc(overPoll, func() {
		over := tr.over(id, p)
		mu.Lock()
		defer mu.Unlock()
		switch {
		case stopped:
		case over != nil:
			cancel(over)
		default:
			timer.Reset(overPoll)
		}
	})
	return func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
		timer.Stop()
	}
}

// appendUntil stores an effect's event, trying again until it is stored, ctx
// ends or the log refuses it for good. The event keeps its id, so a lost
// acknowledgement does not double it.
func appendUntil(ctx context.Context, log events.Log, e events.Event, logger *slog.Logger) error {
	return appendUnless(ctx, log, e, logger, fatal)
}

// appendUnless is appendUntil that gives up at the errors that it is told.
func appendUnless(ctx context.Context, log events.Log, e events.Event, logger *slog.Logger,
	givesUp func(error) bool) error {
	var tries retries
	for {
		_, err := log.Append(ctx, e, nil)
		switch {
		case err == nil, errors.Is(err, events.ErrDuplicate): // the first outcome counts
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case givesUp(err):
			return fmt.Errorf("append %s: %w", e.Type, err)
		}
		if err := tries.wait(ctx, logger, e.Type, err); err != nil {
			return err
		}
	}
}

// retries are the failed tries of an append. The zero value: none failed.
type retries struct {
	full bool // there was no room at the last one
}

// wait logs why an append failed, and waits until it is tried again or ctx ends.
// It logs once that there is no room.
func (r *retries) wait(ctx context.Context, logger *slog.Logger, typ string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	full := waitsForRoom(err)
	if !full || !r.full {
		logger.Warn("append failed and is tried again", "type", typ, "error", err)
	}
	if r.full = full; full {
		return pause(ctx, roomPause)
	}
	return pause(ctx, retryPause)
}

// isOn tells whether the log holds an event with an id under a filter, and the
// sequence of the newest event there. The bus knows the id of an event for ten
// minutes only, and a process may sleep for longer.
func isOn(ctx context.Context, log events.Log, f events.Filter, from uint64, id string) (found bool, last uint64,
	err error) {
	for e, err := range log.Read(ctx, f, max(from, 1), 0) {
		if err != nil {
			return false, 0, err
		}
		found, last = found || e.ID == id, e.Seq
	}
	return found, last, nil
}

// workUntilFull decodes work and has it handled until ctx ends or the log takes no more outcomes:
// the same work, handed out again, would fare no better. events.ErrFull then.
func workUntilFull(ctx context.Context, q Queue, pool string, slots int, handle func(context.Context,
	events.Delivery) error) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	registry := events.Catalogue()
	err := q.Work(ctx, pool, slots, func(ctx context.Context, d events.Delivery) error {
		registry.Decode(&d.Event)
		err := handle(ctx, d)
		for waitsForRoom(err) && pause(ctx, roomPause) == nil {
			err = handle(ctx, d)
		}
		if budgetUsed(err) {
			end(err)
		}
		return err
	})
	if full := context.Cause(ctx); budgetUsed(full) {
		return full
	}
	return err
}

// roomPause is how long work waits for room before it is tried again.
// It keeps its slot, because nobody could do other work meanwhile.
const roomPause = time.Second

// budgetUsed tells whether the log takes nothing before a person raises its
// budget. A full disk is waited for, and so is more than the reserve.
func budgetUsed(err error) bool {
	return errors.Is(err, events.ErrFull) && !waitsForRoom(err)
}

func waitsForRoom(err error) bool {
	return errors.Is(err, events.ErrDiskFull) || errors.Is(err, events.ErrReserve)
}
