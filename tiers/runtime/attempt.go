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

// overPoll is how often a running attempt checks whether its outcome is still
// needed.
const overPoll = 50 * time.Millisecond

// handle makes the attempt that a delivery requests. If this process showed no progress for too
// long, because it was busy or the machine slept, the same request is redelivered; that delivery
// is left to the attempt in progress.
func (m *Models) handle(ctx context.Context, d events.Delivery) error {
	if err := needsNewer(&d.Event); err != nil {
		return err
	}
	tr := m.Transcripts.session(d.Event.Session)
	if tr.reached() == 0 { // not read yet; the session may have ended long ago and then never is
		closed, err := wasClosed(ctx, m.Log, m.Project, d.Event.Session)
		if err != nil {
			return err
		}
		if closed { // before or after the request
			return m.cancelled(ctx, &d.Event)
		}
	}
	if err := tr.await(ctx, d.Event.Seq); err != nil {
		return err
	}
	e, p := tr.due(&d.Event)
	if e == nil {
		if tr.isOver() && !tr.isAnswered(d.Event.ID) { // guarded, and approval will not allow it after the end
			return m.cancelled(ctx, &d.Event)
		}
		return nil
	}
	key := e.Session + " " + e.ID
	if !m.calling.begin(key) {
		return events.ErrTakenOver
	}
	defer m.calling.end(key)
	return m.attempt(ctx, tr, e, p, d)
}

// cancelled answers a request of a closed session that this process has not read: its attempt died
// with another process, or was never made.
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

// requestOf returns the request of a delivery; nil if it is not about a request.
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

// cancelWhenOver cancels the call when its outcome is no longer needed, until
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

// appendUntil stores an effect's event, retrying until it is stored, ctx ends or givesUp returns true for the error.
// The event keeps its id, so a lost acknowledgement cannot store it twice.
func appendUntil(ctx context.Context, log events.Log, e events.Event, logger *slog.Logger,
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

// retries tracks the failed attempts of an append.
type retries struct {
	full bool // the last attempt failed because the log is full
}

// wait logs why an append failed, and waits until the next attempt or until ctx ends. It logs only
// once that the log is full.
func (r *retries) wait(ctx context.Context, logger *slog.Logger, typ string, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	full := waitsForRoom(err)
	if !full || !r.full {
		logger.Warn("append failed; retrying", "type", typ, "error", err)
	}
	if r.full = full; full {
		return pause(ctx, roomPause)
	}
	return pause(ctx, retryPause)
}

// isOn reports whether the log has an event with an id under a filter, and returns the sequence of
// the newest event under it. The bus detects a repeated id only for ten minutes, and a process may
// sleep for longer.
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

// workUntilFull decodes deliveries and passes them to handle until ctx ends, or until the log
// accepts no more outcomes. Then it returns events.ErrFull, because redelivered work could not be
// recorded either.
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

// roomPause is how long work waits for room in the log before a retry. The work keeps its slot,
// because no other work could be recorded either.
const roomPause = time.Second

// budgetUsed reports whether the log accepts nothing until a user raises its budget. It is false
// for a full disk and if only the reserve is left, because waiting may help then.
func budgetUsed(err error) bool {
	return errors.Is(err, events.ErrFull) && !waitsForRoom(err)
}

func waitsForRoom(err error) bool {
	return errors.Is(err, events.ErrDiskFull) || errors.Is(err, events.ErrReserve)
}
