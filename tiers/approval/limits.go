package approval

import (
	"encoding/json"
	"strings"
	"time"

	"manualslop/events"
	"manualslop/events/chars"
	"manualslop/tiers"
)

// Bounds of what becomes part of approval's facts, in bytes. Sizes of JSON are
// those on the log, where some characters are escaped.
const (
	// MaxPosted bounds the question of /api/ask, and the response to one, as JSON.
	// A larger question is never raised.
	MaxPosted = 256 << 10
	// MaxPrompt bounds the prompt that a person wrote for a ticket, as JSON.
	MaxPrompt = events.MaxInline
	// MaxUndo bounds the files of one undo, as JSON: whatever one outcome names fits.
	MaxUndo = 256 << 10
	// MaxTake bounds what a person wants files in conflict to hold, as JSON.
	MaxTake = 48 << 10
	// MaxReason bounds the reason of an answer.
	MaxReason = 4 << 10
	// MaxNote bounds a text that is repeated from another event; it is cut.
	MaxNote = 4 << 10
	// MaxDiff bounds a diff as a JSON string; a longer one is not shown.
	MaxDiff = 256 << 10
	// MaxTitle bounds a title, in characters; it is cut.
	MaxTitle = 120
)

// Bounds of how long an ask may wait.
const (
	// DefaultAskWait is for /api/ask where neither the question nor the settings say.
	DefaultAskWait = 60 * time.Second
	// MaxAskWait is for /api/ask.
	MaxAskWait = 24 * time.Hour
	// MaxGateWait is for gates that are configured to expire.
	MaxGateWait = 365 * 24 * time.Hour
)

// span is a number of milliseconds as a duration, at most most.
func span(ms int64, most time.Duration) time.Duration {
	if ms > most.Milliseconds() {
		return most
	}
	return time.Duration(ms) * time.Millisecond
}

// stored is JSON as it will stand on the log.
func stored(raw json.RawMessage) json.RawMessage {
	if len(raw) == 0 {
		return nil
	}
	b, err := json.Marshal(raw)
	if err != nil {
		panic("approval: " + err.Error()) // raw is part of an event, so it is JSON
	}
	return b
}

// sizeOf is the size of a text as a JSON string.
func sizeOf(text string) int {
	b, err := json.Marshal(text)
	if err != nil {
		panic("approval: " + err.Error()) // a string
	}
	return len(b)
}

// line makes one printable line of a text, at most MaxTitle characters long.
func line(s string) string {
	s = chars.Trim(strings.Map(func(r rune) rune {
		if chars.Printable(r) {
			return r
		}
		return ' '
	}, tiers.Clip(s, 8*MaxTitle)))
	if rs := []rune(s); len(rs) > MaxTitle {
		return string(rs[:MaxTitle-1]) + "…"
	}
	return s
}

// firstLine is a text up to its first line break.
func firstLine(s string) string {
	s, _, _ = strings.Cut(s, "\n")
	return s
}
