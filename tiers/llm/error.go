package llm

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"manualslop/events"
)

// Error is why there is no reply.
type Error struct {
	// Kind is one of the Model* constants of events: what to do about it.
	Kind string
	// Message is for people; a vendor's codes may stand in it, nobody parses it.
	Message string
	// RetryAfter is how long the provider asks to wait; 0 if it did not say.
	RetryAfter time.Duration
	// CLI is the run of the provider's program; nil if there is none.
	CLI *events.CLICall

	cause error
}

// Error returns the message and the kind.
func (e *Error) Error() string { return fmt.Sprintf("model: %s (%s)", e.Message, e.Kind) }

// Unwrap returns the error that this one classifies; nil if it stands for
// itself.
func (e *Error) Unwrap() error { return e.cause }

// Failed returns the fact that the request with this id failed.
func (e *Error) Failed(request string) events.ModelFailed {
	return events.ModelFailed{Request: request, Kind: e.Kind, Message: clip(e.Message),
		RetryAfterMS: e.RetryAfter.Milliseconds(), CLI: e.CLI}
}

// Kinds lists the kinds of error there are.
func Kinds() []string {
	return []string{
		events.ModelRateLimited, events.ModelOverloaded, events.ModelContextTooLong, events.ModelAuth,
		events.ModelInvalidRequest,
		events.ModelRefused, events.ModelIncomplete, events.ModelNetwork, events.ModelCancelled, events.ModelInterrupted,
		events.ModelExhausted,
	}
}

// KnownKind reports whether kind is one of [Kinds].
func KnownKind(kind string) bool { return slices.Contains(Kinds(), kind) }

// AsError is err as an *Error: itself where it is one, cancelled for a context
// that was cancelled, network for anything else. Nil gives nil.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	if known, ok := errors.AsType[*Error](err); ok {
		return known
	}
	kind := events.ModelNetwork
	if errors.Is(err, context.Canceled) {
		kind = events.ModelCancelled
	}
	return &Error{Kind: kind, Message: clip(err.Error()), cause: err}
}

// Unsendable returns why a request cannot be sent at all.
func Unsendable(format string, args ...any) *Error {
	return failure(events.ModelInvalidRequest, format, args...)
}

// Incomplete returns why what came is not a whole reply.
func Incomplete(format string, args ...any) *Error {
	return failure(events.ModelIncomplete, format, args...)
}

func failure(kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: clip(fmt.Sprintf(format, args...))}
}

// clip keeps a message within MaxMessage and valid UTF-8.
func clip(s string) string {
	if len(s) > MaxMessage {
		s = s[:MaxMessage-len("…")]
		return strings.ToValidUTF8(s, "") + "…"
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
