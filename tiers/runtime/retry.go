package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"manualslop/events"
)

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

// workUntilFull takes work until ctx ends or the log takes no more outcomes:
// the same work, handed out again, would fare no better. events.ErrFull then.
func workUntilFull(ctx context.Context, q Queue, pool string, slots int, handle func(context.Context,
	Delivery) error) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	err := q.Work(ctx, pool, slots, func(ctx context.Context, d Delivery) error {
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
