package transport

import "time"

// Limits for one answer.
const (
	// FirstContent is how long a stream may stay silent before its first content: a model may
	// think for minutes, and a local one may read a long prompt for as long.
	FirstContent = 10 * time.Minute
	// Silence is how long an answer may otherwise stay silent.
	Silence = 90 * time.Second
	// Longest is how long an attempt may take in total.
	Longest = 2 * time.Hour
	// MaxHeader limits the bytes of an answer's header.
	MaxHeader = 256 << 10
	// MaxStream limits the bytes of an event stream after decompression, and of every answer
	// before it, since compressed data may never produce any output.
	MaxStream = 64 << 20
	// MaxAnswer limits the bytes of a non-streaming answer after decompression.
	MaxAnswer = 16 << 20
	// MaxFailure limits the bytes kept of the body of an error response.
	MaxFailure = 64 << 10
	// MaxRetryAfter limits the delay that a provider can ask for.
	MaxRetryAfter = time.Hour
	// minKey and minHeader are the lengths in bytes below which a key, or a word of a configured
	// header, looks like ordinary text and is not hidden.
	minKey, minHeader = 4, 8
)
