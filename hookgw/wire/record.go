package wire

import "manualslop/projections"

// Timeline is the answer of GET /api/timeline: what happened, in words.
type Timeline struct {
	Rows    []projections.Row `json:"rows"`
	Through uint64            `json:"through"` // as ?since= it continues after the last row
	Dropped uint64            `json:"dropped"` // rows that are no longer kept; GET /api/stream has their events
}
