package transport

import "time"

// Limits of one answer.
const (
	// FirstContent is how long a stream may bring nothing before its first content: a
	// model thinks for minutes, and a local one reads a long prompt for as long.
	FirstContent = 10 * time.Minute
	// Silence is how long an answer may bring nothing otherwise.
	Silence = 90 * time.Second
	// Longest is how long an attempt may take, however often something comes.
	Longest = 2 * time.Hour
	// MaxHeader limits the bytes of an answer's header.
	MaxHeader = 256 << 10
	// MaxStream limits an event stream, unpacked, and every answer as it comes, in
	// bytes: what is packed may unpack to nothing forever.
	MaxStream = 64 << 20
	// MaxAnswer limits an answer that does not stream, unpacked, in bytes.
	MaxAnswer = 16 << 20
	// MaxFailure limits what is kept of the body of an answer that is not a
	// success.
	MaxFailure = 64 << 10
	// MaxRetryAfter limits how long a provider can make us wait.
	MaxRetryAfter = time.Hour
	// minKey and minHeader are the lengths in bytes below which a key, or a word
	// of a configured header, cannot be told from ordinary words and is not hidden.
	minKey, minHeader = 4, 8
)
