package hookgw

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"
	"unicode"

	"manualslop/events"
	"manualslop/projections"
)

// problem is an error that a client is told: what is wrong and what to do.
type problem struct {
	status  int
	Message string `json:"error"`
	Hint    string `json:"hint"`
	// SettledBy and SettledAt say who closed an ask, and when.
	SettledBy string     `json:"settled_by,omitempty"`
	SettledAt *time.Time `json:"settled_at,omitempty"`
	Outcome   string     `json:"outcome,omitempty"`
	// Ticket is the one at work, where the client may go on with it.
	Ticket string `json:"ticket,omitempty"`
	allow  string // methods that the path takes
	cause  error
}

// Error is the message to the client.
func (p *problem) Error() string { return p.Message }

// Unwrap is what lay behind it, for the operator.
func (p *problem) Unwrap() error { return p.cause }

// refuse makes a problem. What a client sent may stand in its texts: what would
// take over a terminal that shows them does not get there.
func refuse(status int, message, hint string) *problem {
	return &problem{status: status, Message: strings.Map(harmless, message), Hint: strings.Map(harmless, hint)}
}

// harmless replaces control characters other than the end of a line, and those
// that turn text around.
func harmless(r rune) rune {
	if r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r) || r == '\u2028' || r == '\u2029') {
		return unicode.ReplacementChar
	}
	return r
}

func (p *problem) because(err error) *problem {
	p.cause = err
	return p
}

// settledProblem tells that an ask is closed, by whom and when.
func settledProblem(s *projections.SettledAsk) *problem {
	at := s.At
	p := refuse(http.StatusConflict, "this ask is already settled: "+s.Outcome, "The first valid answer counts; read GET /api/asks?state=all.")
	p.SettledBy, p.SettledAt, p.Outcome = s.By, &at, s.Outcome
	return p
}

// problemOf says what a client is told about err.
func problemOf(err error) *problem {
	var p *problem
	var stopped *projections.StoppedError
	switch {
	case errors.As(err, &p):
		return p
	case errors.As(err, &stopped):
		return stoppedProblem(stopped)
	case errors.Is(err, events.ErrTooLarge):
		return refuse(http.StatusRequestEntityTooLarge, "this is too large for one event of the log", "Send less than 512 KiB at once.").because(err)
	case errors.Is(err, events.ErrFull):
		return refuse(http.StatusInsufficientStorage, "the log has used up its disk budget; nothing was stored", "Make room, or raise the budget, and send it again.").because(err)
	case errors.Is(err, events.ErrDenied):
		return refuse(http.StatusForbidden, "the log refused the event: its rights do not allow it", "Check the rights of the gateway's connections (slop doctor).").because(err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded), errors.Is(err, events.ErrClosed):
		return refuse(http.StatusServiceUnavailable, "the engine did not answer in time", "Read the state before you send it again; slop doctor tells more.").because(err)
	}
	return refuse(http.StatusInternalServerError, "the gateway failed", "The engine's own log tells why.").because(err)
}
