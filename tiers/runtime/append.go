package runtime

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"manualslop/events"
)

// appendUntil stores an effect's event, trying again until it is stored, ctx
// ends or the log refuses it for good. The event keeps its id, so a lost
// acknowledgement does not double it.
func appendUntil(ctx context.Context, log events.Log, e events.Event, logger *slog.Logger) error {
	for {
		_, err := log.Append(ctx, e, nil)
		switch {
		case err == nil, errors.Is(err, events.ErrDuplicate): // the first outcome counts
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case fatal(err):
			return fmt.Errorf("append %s: %w", e.Type, err)
		}
		logger.Warn("append failed and is tried again", "type", e.Type, "error", err)
		if err := pause(ctx, retryPause); err != nil {
			return err
		}
	}
}
