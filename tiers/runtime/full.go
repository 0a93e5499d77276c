package runtime

import (
	"context"
	"errors"
	"time"

	"manualslop/events"
)

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
