// Package problem holds the errors that the gateway returns to clients: each is one JSON object that says what is
// wrong and what to do, with an HTTP status. [Of] converts any other error.
package problem

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"

	"manualslop/events"
	"manualslop/projections"
)

// Problem is an error for a client: what is wrong and what to do.
type Problem struct {
	// Status is the HTTP status of the answer.
	Status  int    `json:"-"`
	Message string `json:"error"`
	Hint    string `json:"hint"`
	// SettledBy and SettledAt say who settled an ask, and when.
	SettledBy string     `json:"settled_by,omitempty"`
	SettledAt *time.Time `json:"settled_at,omitempty"`
	Outcome   string     `json:"outcome,omitempty"`
	// Ticket is the running ticket, if the client can rejoin it.
	Ticket string `json:"ticket,omitempty"`
	// Allow are the methods that the path supports, for a request with another one.
	Allow string `json:"-"`

	cause error
}

// Error returns the message for the client.
func (p *Problem) Error() string { return p.Message }

// Unwrap returns the cause, for the operator.
func (p *Problem) Unwrap() error { return p.cause }

// New creates a problem. Its text may contain input from a client; characters that would control a terminal are
// replaced.
func New(status int, message, hint string) *Problem {
	return &Problem{Status: status, Message: strings.Map(harmless, message), Hint: strings.Map(harmless, hint)}
}

// harmless replaces control characters other than line ends, and those that change the direction of text.
func harmless(r rune) rune {
	if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029') {
		return unicode.ReplacementChar
	}
	return r
}

// WithCause adds the cause of the problem, for the operator.
func (p *Problem) WithCause(err error) *Problem {
	p.cause = err
	return p
}

// WithTicket adds the ticket that a problem concerns.
func (p *Problem) WithTicket(ticket string) *Problem {
	p.Ticket = ticket
	return p
}

// Settled returns the problem that an ask is already settled, by whom and when.
func Settled(s *projections.SettledAsk) *Problem {
	at := s.At
	p := New(http.StatusConflict, "this ask is already settled: "+s.Outcome,
		"The first valid answer counts; see GET /api/asks?state=all.")
	p.SettledBy, p.SettledAt, p.Outcome = s.By, &at, s.Outcome
	return p
}

// Of converts err to a problem for the client.
func Of(err error) *Problem {
	var p *Problem
	var stopped *projections.StoppedError
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &stopped):
		return Stopped(stopped)
	case errors.Is(err, events.ErrTooLarge):
		return New(http.StatusRequestEntityTooLarge, "the request is too large for one event of the log",
			"Send less than 512 KiB at once.").WithCause(err)
	case errors.Is(err, events.ErrDiskFull):
		return New(http.StatusInsufficientStorage, "the disk is full; nothing was stored",
			"Free space on the disk of the data folder and send the request again; the engine continues without a "+
				"restart.").WithCause(err)
	case errors.Is(err, events.ErrReserve):
		return New(http.StatusInsufficientStorage, "the log has only the reserve of its disk budget left, so no new "+
			"work can begin",
			"Remove sessions with `slop sessions prune`, or raise [bus] max_bytes; closing a session still works.").WithCause(err)
	case errors.Is(err, events.ErrFull):
		return New(http.StatusInsufficientStorage, "the log has used up its disk budget; nothing was stored",
			"Remove sessions, or raise the budget, and send it again.").WithCause(err)
	case errors.Is(err, events.ErrDenied):
		return New(http.StatusForbidden, "the log refused the event: the gateway lacks the rights",
			"Check the rights of the gateway's connections (slop doctor).").WithCause(err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, events.ErrClosed):
		return New(http.StatusServiceUnavailable, "the engine did not answer in time",
			"Read the state before you send the request again; slop doctor may show the cause.").WithCause(err)
	}
	return New(http.StatusInternalServerError, "the gateway failed", "See the engine's log.").WithCause(err)
}

// Stopped reports which read model has stopped, and since when.
func Stopped(e *projections.StoppedError) *Problem {
	return New(http.StatusServiceUnavailable, e.Error(), fmt.Sprintf("The rest of the API keeps working. Restart with "+
		"a version that supports event %d.", e.Seq)).WithCause(e)
}
