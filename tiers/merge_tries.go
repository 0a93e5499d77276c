package tiers

import (
	"slices"

	"manualslop/events"
)

// MaxSameMerges limits the tries in a row at one merge that end in the same
// way. After them the ticket is blocked: nothing changed between the questions,
// so another one would not help.
const MaxSameMerges = 5

// MergeTries counts the tries at the merge of one ticket. The zero value: none yet.
type MergeTries struct {
	last events.MergeSettled
	same int // tries in a row that ended as last did
}

// Then returns what is known after a try that did not merge.
func (m MergeTries) Then(p events.MergeSettled) MergeTries {
	l := m.last
	if l.Attempt == p.Attempt && l.Outcome == p.Outcome && l.Onto == p.Onto && l.Detail == p.Detail &&
		slices.Equal(l.Files, p.Files) {
		return MergeTries{p, m.same + 1}
	}
	return MergeTries{p, 1}
}

// Stuck reports whether another try is refused.
func (m MergeTries) Stuck() bool { return m.same >= MaxSameMerges }
