package tierstest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
)

// Join joins single payloads and lists of them into one list, in the given order. It panics on
// anything else.
func Join(parts ...any) []events.Payload {
	var out []events.Payload
	for _, p := range parts {
		switch x := p.(type) {
		case []events.Payload:
			out = append(out, x...)
		default:
			out = append(out, x.(events.Payload))
		}
	}
	return out
}

// Replied answers the newest request to a model with text and no calls.
func Replied(text string) events.Payload {
	return With(func(h *History) events.Payload {
		return events.ModelReplied{Request: h.LastID(events.NameOf[events.ModelRequested]()), Text: text,
			SHA256: events.Digest([]byte(text)),
			Finish: "stop"}
	})
}

// Failed makes the newest request to a model fail.
func Failed(kind, message string) events.Payload {
	return With(func(h *History) events.Payload {
		return events.ModelFailed{Request: h.LastID(events.NameOf[events.ModelRequested]()), Kind: kind, Message: message}
	})
}

// Decided returns an expected fact of type P with any content.
func Decided[P events.Payload]() events.Payload { return Check(func(testing.TB, P) {}) }

// Addressed returns an expected request to a model with this address and attempt number.
func Addressed(provider, model, command string, attempt int) events.Payload {
	return Check(func(t testing.TB, p events.ModelRequested) {
		t.Helper()
		require.Equal(t, []any{provider, model, command, attempt}, []any{p.Provider, p.Model, p.Command, p.Attempt})
	})
}

// AskedAgain returns the expected second attempt at the first request to a model, due 250 ms after
// its failure, which is the n-th foreign event.
func AskedAgain(n int) events.Payload {
	return With(func(h *History) events.Payload {
		first := h.Requests()[0]
		due := At(n).Add(250 * time.Millisecond)
		first.Attempt, first.NotBefore = 2, &due
		return first
	})
}

// TextOf returns the text of a part that refers to it by digest, from a decider's own texts.
func TextOf(t testing.TB, own map[string]string, p events.Part) string {
	t.Helper()
	// order-independent: digests differ
	for _, text := range own {
		if events.Digest([]byte(text)) == p.SHA256 {
			return text
		}
	}
	t.Fatalf("no text has the digest of %+v", p)
	return ""
}
