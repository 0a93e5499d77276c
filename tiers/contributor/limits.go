package contributor

// MaxShown limits how much of one file the first prompt shows, in characters.
const MaxShown = 48_000

// DefaultMaxRounds limits the rounds of one attempt if the settings do not.
const DefaultMaxRounds = 40

// Limits of what a run records, in bytes of JSON.
const (
	// MaxRefresh limits the block of changed files. If it is full, further files are named without
	// their diff, and then only counted.
	MaxRefresh = 96 << 10
	// MaxKnown limits the list of files that a refresh reads again; files that do not fit, in path
	// order, are left out.
	MaxKnown = 256 << 10
	// MaxCompared limits the list of files that a call compares; if it is longer, a refresh
	// compares them.
	MaxCompared = 16 << 10
)

// maxReviewPath limits the path of a file in the summary of an attempt's changes, in bytes; files
// with longer paths are left out.
const maxReviewPath = 512

// MaxReason limits a reason in bytes; a longer one is cut.
const MaxReason = 2 << 10

// MaxQuery limits the question for a search in bytes; the rest is not searched for.
const MaxQuery = 2_000
