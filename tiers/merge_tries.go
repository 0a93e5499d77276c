package tiers

import (
	"slices"

	"manualslop/events"
)

// MaxSameMerges limits how often in a row a merge may end in the same way. After that the ticket
// is blocked, because nothing changed between the asks, so another one would not help.
const MaxSameMerges = 5

// MergeTries counts the attempts to merge one ticket. The zero value means none yet.
type MergeTries struct {
	last events.MergeSettled
	same int // attempts in a row that ended like last
}

// Then returns the count after an attempt that did not merge.
func (m MergeTries) Then(p events.MergeSettled) MergeTries {
	l := m.last
	if l.Attempt == p.Attempt && l.Outcome == p.Outcome && l.Onto == p.Onto && l.Detail == p.Detail &&
		slices.Equal(l.Files, p.Files) {
		return MergeTries{p, m.same + 1}
	}
	return MergeTries{p, 1}
}

// Stuck reports whether no further attempt is allowed.
func (m MergeTries) Stuck() bool { return m.same >= MaxSameMerges }
