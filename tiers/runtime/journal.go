package runtime

import (
	"sync"

	"manualslop/tools"
	"manualslop/tools/checkpoint"
)

// maxJournal bounds the own writes that are remembered.
const maxJournal = 10_000

// journal remembers what this worker's other calls wrote, so that a script that
// ran beside them is not taken for the author. The zero value is empty.
type journal struct {
	mu      sync.Mutex
	dropped int
	writes  []written
}

// written is a change at a place; see site.place.
type written struct {
	place string
	tools.PlannedChange
}

func (j *journal) add(place string, changes []tools.PlannedChange) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, c := range changes {
		j.writes = append(j.writes, written{place, c})
	}
	if over := len(j.writes) - maxJournal; over > 0 {
		j.writes, j.dropped = j.writes[over:], j.dropped+over
	}
}

// mark is a position in the journal.
func (j *journal) mark() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.dropped + len(j.writes)
}

// others are the changes of a place that no write behind mark made.
func (j *journal) others(mark int, place string, changes []checkpoint.Change) []checkpoint.Change {
	j.mu.Lock()
	defer j.mu.Unlock()
	own := map[string]string{}
	for _, w := range j.writes[max(0, mark-j.dropped):] {
		if w.place == place {
			own[w.Path] = w.After
		}
	}
	var out []checkpoint.Change
	for _, c := range changes {
		if after, ours := own[c.Path]; !ours || after != c.After {
			out = append(out, c)
		}
	}
	return out
}
