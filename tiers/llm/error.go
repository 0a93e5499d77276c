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

// Error is the reason why an attempt produced no reply.
type Error struct {
	// Kind is one of the Model* constants of events; it decides what to do next.
	Kind string
	// Message is for people. It may contain a vendor's codes; no code parses it.
	Message string
	// RetryAfter is how long the provider asks to wait; 0 if it did not say.
	RetryAfter time.Duration
	// CLI describes the run of the provider's program; nil if it runs none.
	CLI *events.CLICall

	cause error
}

// Error returns the message and the kind.
func (e *Error) Error() string { return fmt.Sprintf("model: %s (%s)", e.Message, e.Kind) }

// Unwrap returns the underlying error; nil if there is none.
func (e *Error) Unwrap() error { return e.cause }

// Failed returns the event that records the failure of the given request.
func (e *Error) Failed(request string) events.ModelFailed {
	return events.ModelFailed{Request: request, Kind: e.Kind, Message: clip(e.Message),
		RetryAfterMS: e.RetryAfter.Milliseconds(), CLI: e.CLI}
}

// Kinds returns all kinds of error.
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

// AsError returns err as an *Error: unchanged if it is one, of kind cancelled for a cancelled
// context, else of kind network. It returns nil for nil.
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

// Unsendable returns an error for a request that cannot be sent at all.
func Unsendable(format string, args ...any) *Error {
	return failure(events.ModelInvalidRequest, format, args...)
}

// Incomplete returns an error for a reply that is not complete.
func Incomplete(format string, args ...any) *Error {
	return failure(events.ModelIncomplete, format, args...)
}

func failure(kind, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: clip(fmt.Sprintf(format, args...))}
}

// clip limits a message to MaxMessage bytes and makes it valid UTF-8.
func clip(s string) string {
	if len(s) > MaxMessage {
		s = s[:MaxMessage-len("…")]
		return strings.ToValidUTF8(s, "") + "…"
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}
