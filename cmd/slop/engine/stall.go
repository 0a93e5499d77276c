package engine

import (
	"errors"
	"fmt"

	"manualslop/bus"
	"manualslop/events"
)

// Stall is a decider of this process that cannot continue a session.
type Stall struct {
	Session, Decider string
	Reason           error
}

// stopped handles a decider that cannot continue. If the log itself is the reason, no other decider can continue
// either, and the process ends.
func (e *Engine) stopped(session, decider string, reason error) {
	for _, end := range []error{events.ErrFull, events.ErrHole, events.ErrDenied} {
		if errors.Is(reason, end) {
			e.Group.Go(func() error { return e.Role(decider, fmt.Errorf("session %s: %w", session, reason)) })
			return
		}
	}
	select {
	case e.Stalls <- Stall{session, decider, reason}:
	default: // enough are waiting; the log names this one too
	}
}

// Remedy returns what a user can do about an error of the log.
func Remedy(err error) string {
	switch {
	case errors.Is(err, events.ErrDiskFull):
		return "nothing recorded is lost; free disk space and repeat the command"
	case errors.Is(err, events.ErrReserve):
		return "nothing recorded is lost; remove sessions with `slop sessions prune`, or raise [bus] max_bytes in your " +
			"configuration"
	case errors.Is(err, events.ErrFull):
		return "nothing recorded is lost; raise [bus] max_bytes in your configuration, " +
			"then continue with `slop run --resume` or `slop " +
			"serve`"
	case errors.Is(err, bus.ErrLocked):
		return "an engine is running there: give it a goal with `slop hook post_goal \"…\"`, " +
			"or stop it with `slop hook shutdown`"
	case errors.Is(err, events.ErrHole):
		return "the store on disk is damaged, and nothing was changed; restore the data folder from a backup, " +
			"or move it " +
			"away to start over"
	}
	return ""
}
