package wire

import "manualslop/projections"

// Timeline is the answer of GET /api/timeline: what happened, in words.
type Timeline struct {
	Rows    []projections.Row `json:"rows"`
	Through uint64            `json:"through"` // as ?since= it goes on behind the last row
	Dropped uint64            `json:"dropped"` // rows that are not kept any more; GET /api/stream has their events
}
