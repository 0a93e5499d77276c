package projections

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
)

// Bounds of what reading a damaged snapshot takes in memory, in bytes.
const (
	maxSnapshotHead   = 64 << 10
	maxSnapshotStates = 256 << 20
)

// snapshotHead is the first line of a stored snapshot. The states follow it, one
// behind the other: nobody looks for their ends.
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

// WriteTo writes the snapshot as it is stored. It implements io.WriterTo.
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

// ReadFrom reads what WriteTo wrote; ErrStale for anything else. It implements
// io.ReaderFrom.
func (s *Snapshot) ReadFrom(r io.Reader) (int64, error) {
	in := bufio.NewReaderSize(r, maxSnapshotHead)
	line, err := in.ReadSlice('\n')
	if err != nil {
		return int64(len(line)), fmt.Errorf("%w: its head: %w", ErrStale, err)
	}
	var head snapshotHead
	if err := json.Unmarshal(line, &head); err != nil {
		return int64(len(line)), fmt.Errorf("%w: its head: %w", ErrStale, err)
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
		return read, fmt.Errorf("%w: more follows its states", ErrStale)
	}
	*s = out
	return read, nil
}
