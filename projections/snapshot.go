package projections

import (
	"encoding/json"
	"errors"
	"fmt"
)

// ErrStale says that a snapshot was made by other versions of the folds, or is
// damaged: it must be discarded and the session folded from its beginning.
var ErrStale = errors.New("snapshot does not fit the read models")

// Snapshot is the state of every model at one position of the log.
type Snapshot struct {
	Seq    uint64          `json:"seq"`     // of the newest event folded
	LastID string          `json:"last_id"` // its id, so that another log with the same sequences shows
	Models []ModelSnapshot `json:"models"`
}

// ModelSnapshot is the state of one model.
type ModelSnapshot struct {
	Name    string          `json:"name"`
	Version int             `json:"version"`
	State   json.RawMessage `json:"state"`
}

// Snapshot renders the state of every model. While one has stopped there is
// none: a later program that knows how to fold the event must come by it again.
func (s *Set) Snapshot() (Snapshot, error) {
	snap := Snapshot{Seq: s.seq, LastID: s.last, Models: make([]ModelSnapshot, len(s.slots))}
	for i := range s.slots {
		m := &s.slots[i]
		if m.stopped != nil {
			return Snapshot{}, m.stopped
		}
		raw, err := m.JSON()
		if err != nil {
			return Snapshot{}, err
		}
		snap.Models[i] = ModelSnapshot{m.Name(), m.Version(), raw}
	}
	return snap, nil
}

// Restore replaces the state of every model by the snapshot's. With ErrStale,
// when a model is missing, of another version or does not decode, the set
// stays as it was.
func (s *Set) Restore(snap Snapshot) error {
	fresh := NewSetOf(s.makers)
	if len(snap.Models) != len(fresh.slots) {
		return fmt.Errorf("%w: it holds %d models of %d", ErrStale, len(snap.Models), len(fresh.slots))
	}
	for i := range fresh.slots {
		m := &fresh.slots[i]
		have := snap.Models[i]
		if have.Name != m.Name() || have.Version != m.Version() {
			return fmt.Errorf("%w: %s version %d, want %s version %d", ErrStale, have.Name, have.Version, m.Name(), m.Version())
		}
		if err := m.Restore(have.State); err != nil {
			return fmt.Errorf("%w: %w", ErrStale, err)
		}
	}
	s.seq, s.last, s.slots = snap.Seq, snap.LastID, fresh.slots
	s.applied++
	for i := range s.slots {
		s.slots[i].changed = s.applied
	}
	return nil
}
