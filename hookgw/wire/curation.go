package wire

import "manualslop/projections/undo"

// CurationAnswer says which change was undone or redone.
type CurationAnswer struct {
	Status string    `json:"status"`
	Step   undo.Info `json:"step"`
	// Position is the position of the history from now on.
	Position uint64 `json:"position"`
}
