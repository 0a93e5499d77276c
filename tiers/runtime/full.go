package runtime

import (
	"context"
	"errors"

	"manualslop/events"
)

// workUntilFull takes work until ctx ends or the log takes no more outcomes:
// the same work, handed out again, would fare no better. events.ErrFull then.
func workUntilFull(ctx context.Context, q Queue, pool string, slots int, handle func(context.Context, Delivery) error) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	err := q.Work(ctx, pool, slots, func(ctx context.Context, d Delivery) error {
		err := handle(ctx, d)
		if errors.Is(err, events.ErrFull) {
			end(err)
		}
		return err
	})
	if full := context.Cause(ctx); errors.Is(full, events.ErrFull) {
		return full
	}
	return err
}
