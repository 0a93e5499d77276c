package engine

import (
	"errors"
	"fmt"

	"manualslop/bus"
	"manualslop/events"
)

// Stall is a decider of this process that does not go on with a session.
type Stall struct {
	Session, Decider string
	Reason           error
}

// stopped hears of a decider that does not go on. Where the log itself is the
// reason, nobody else can go on either, and the process ends.
func (e *Engine) stopped(session, decider string, reason error) {
	for _, end := range []error{events.ErrFull, events.ErrHole, events.ErrDenied} {
		if errors.Is(reason, end) {
			e.Group.Go(func() error { return e.Role(decider, fmt.Errorf("session %s: %w", session, reason)) })
			return
		}
	}
	select {
	case e.Stalls <- Stall{session, decider, reason}:
	default: // as many are waiting to be looked at; the log has this one too
	}
}

// Remedy is what a person can do about an error of the log.
func Remedy(err error) string {
	switch {
	case errors.Is(err, events.ErrDiskFull):
		return "nothing recorded is lost; make room on the disk and repeat it"
	case errors.Is(err, events.ErrReserve):
		return "nothing recorded is lost; remove sessions with `slop sessions prune`, or raise [bus] max_bytes in your " +
			"configuration"
	case errors.Is(err, events.ErrFull):
		return "nothing recorded is lost; raise [bus] max_bytes in your configuration, then `slop run --resume` or `slop " +
			"serve` goes on"
	case errors.Is(err, bus.ErrLocked):
		return "an engine runs there: `slop hook post_goal \"…\"` gives it a goal, `slop hook shutdown` ends it"
	case errors.Is(err, events.ErrHole):
		return "the store on disk is damaged, and nothing was changed; restore the data folder from a copy, or move it " +
			"away to begin anew"
	}
	return ""
}
