package projections

import (
	"slices"
	"time"

	"manualslop/events"
)

// Row is one event on the timeline.
type Row struct {
	Seq     uint64    `json:"seq"`
	Time    time.Time `json:"time"`
	Actor   string    `json:"actor"`
	Type    string    `json:"type"`
	Corr    string    `json:"corr,omitempty"`
	Summary string    `json:"summary,omitempty"`
}

// Bounds of the timeline: the newest MaxTimeline rows are kept, and a few more
// until it is worth making room.
const (
	MaxTimeline   = 10_000
	timelineSlack = 1_000
)

type rows struct {
	Rows    []Row  `json:"rows"`
	Dropped uint64 `json:"dropped"` // rows before the first, which the log still has
}

var timeline = Fold[*rows]{
	Name: "timeline", Version: 2,
	New: func() *rows { return &rows{} },
	Apply: func(r *rows, e *events.Event) *rows {
		switch e.Payload.(type) {
		case nil, events.Unknown, events.Malformed:
			return r
		}
		if over := len(r.Rows) - MaxTimeline; over >= timelineSlack {
			r.Rows = append(make([]Row, 0, MaxTimeline+timelineSlack+1), r.Rows[over:]...)
			r.Dropped += uint64(over)
		}
		r.Rows = append(r.Rows, Row{e.Seq, e.Time, e.Actor, e.Type, e.Corr, Summarize(e.Payload)})
		return r
	},
}

// Timeline lists at most limit rows after a sequence, oldest first; a limit
// under 1 means all that are kept, which are the newest MaxTimeline at least;
// see TimelineDropped. It is shared: read it only.
func (s *Set) Timeline(after uint64, limit int) []Row {
	all := stateOf(s, timeline).Rows
	from, _ := slices.BinarySearchFunc(all, after+1, func(r Row, seq uint64) int {
		switch {
		case r.Seq < seq:
			return -1
		case r.Seq > seq:
			return 1
		}
		return 0
	})
	all = all[from:]
	if limit > 0 && len(all) > limit {
		all = all[:limit]
	}
	return all[:len(all):len(all)]
}

// TimelineDropped is how many rows are not kept any more, the oldest ones.
func (s *Set) TimelineDropped() uint64 { return stateOf(s, timeline).Dropped }
