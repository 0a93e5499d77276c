package contributor

// MaxShown bounds what a prompt begins with of one file, in characters.
const MaxShown = 48_000

// DefaultMaxRounds bounds the rounds of one attempt where the settings do not.
const DefaultMaxRounds = 40

// Bounds of what a run puts on the log, in bytes of JSON.
const (
	// MaxRefresh bounds the block of changed files. What does not fit is named
	// without its diff, then counted.
	MaxRefresh = 96 << 10
	// MaxKnown bounds the list of files that a refresh rereads; those beyond it,
	// by path, are not reread.
	MaxKnown = 256 << 10
	// MaxCompared bounds the list of files that a call compares; a longer one is
	// left to a refresh.
	MaxCompared = 16 << 10
)

// maxReviewPath bounds the path of a file in the sum of what an attempt changed,
// in bytes; one with a longer path is not in it.
const maxReviewPath = 512

// MaxReason bounds a reason, in bytes of text; it is cut.
const MaxReason = 2 << 10
