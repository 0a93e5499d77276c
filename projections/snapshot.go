package projections

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// ErrStale means that a snapshot was made by other versions of the folds or is damaged. It must be
// discarded, and the session folded from its beginning.
var ErrStale = errors.New("snapshot does not match the read models")

// Snapshot is the state of every model at one position of the log.
type Snapshot struct {
	Seq    uint64          `json:"seq"`     // sequence of the newest folded event
	LastID string          `json:"last_id"` // its id, which reveals another log with the same sequences
	Models []ModelSnapshot `json:"models"`
}

// ModelSnapshot is the state of one model.
type ModelSnapshot struct {
	Name    string          `json:"name"`
	Version int             `json:"version"`
	State   json.RawMessage `json:"state"`
}

// Snapshot returns the state of every model. It fails while a model has stopped, because a later
// program that can fold the event must fold it again.
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

// Restore replaces the state of every model by that in the snapshot. It returns ErrStale, and
// changes nothing, if a model is missing, has another version or cannot be decoded.
func (s *Set) Restore(snap Snapshot) error {
	fresh := NewSetOf(s.makers)
	if len(snap.Models) != len(fresh.slots) {
		return fmt.Errorf("%w: it has %d of %d models", ErrStale, len(snap.Models), len(fresh.slots))
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

// Limits for the memory that reading a damaged snapshot can use, in bytes.
const (
	maxSnapshotHead   = 64 << 10
	maxSnapshotStates = 256 << 20
)

// snapshotHead is the first line of a stored snapshot. The states follow it one after the other,
// without separators.
type snapshotHead struct {
	Seq    uint64      `json:"seq"`
	LastID string      `json:"last_id"`
	Models []modelHead `json:"models"`
}

type modelHead struct {
	Name    string `json:"name"`
	Version int    `json:"version"`
	Size    int    `json:"size"` // of its state in bytes
}

// WriteTo writes the snapshot in its stored form. It implements io.WriterTo.
func (s *Snapshot) WriteTo(w io.Writer) (int64, error) {
	head := snapshotHead{Seq: s.Seq, LastID: s.LastID, Models: make([]modelHead, len(s.Models))}
	for i, m := range s.Models {
		head.Models[i] = modelHead{m.Name, m.Version, len(m.State)}
	}
	line, err := json.Marshal(head)
	if err != nil {
		return 0, err
	}
	n, err := w.Write(append(line, '\n'))
	written := int64(n)
	for _, m := range s.Models {
		if err != nil {
			break
		}
		n, err = w.Write(m.State)
		written += int64(n)
	}
	return written, err
}

// ReadFrom reads a snapshot that WriteTo wrote. It returns ErrStale for anything else. It
// implements io.ReaderFrom.
func (s *Snapshot) ReadFrom(r io.Reader) (int64, error) {
	in := bufio.NewReaderSize(r, maxSnapshotHead)
	line, err := in.ReadSlice('\n')
	if err != nil {
		return int64(len(line)), fmt.Errorf("%w: its header: %w", ErrStale, err)
	}
	var head snapshotHead
	if err := json.Unmarshal(line, &head); err != nil {
		return int64(len(line)), fmt.Errorf("%w: its header: %w", ErrStale, err)
	}
	read, room := int64(len(line)), maxSnapshotStates
	out := Snapshot{Seq: head.Seq, LastID: head.LastID, Models: make([]ModelSnapshot, len(head.Models))}
	for i, m := range head.Models {
		if m.Size < 0 || m.Size > room {
			return read, fmt.Errorf("%w: the state of %s has %d bytes", ErrStale, m.Name, m.Size)
		}
		room -= m.Size
		out.Models[i] = ModelSnapshot{m.Name, m.Version, make([]byte, m.Size)}
		n, err := io.ReadFull(in, out.Models[i].State)
		if read += int64(n); err != nil {
			return read, fmt.Errorf("%w: the state of %s: %w", ErrStale, m.Name, err)
		}
	}
	if _, err := in.Peek(1); err != io.EOF {
		return read, fmt.Errorf("%w: unexpected data after its states", ErrStale)
	}
	*s = out
	return read, nil
}
