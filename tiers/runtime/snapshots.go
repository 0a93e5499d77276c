package runtime

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"manualslop/events"
	"manualslop/tiers/snapshot"
)

// Snapshots stores states between runs, as JSON by key. Losing one costs time
// and nothing else, so a store may refuse or forget any of them.
type Snapshots interface {
	// PutSnapshot stores v under key in place of what was there.
	PutSnapshot(ctx context.Context, key string, v any) error
	// Snapshot reads what is stored under key into v; an error if there is none.
	Snapshot(ctx context.Context, key string, v any) error
	// DropSnapshot removes what is stored under key.
	DropSnapshot(ctx context.Context, key string) error
}

// Mark is an event by its position and its id. The zero Mark is before the
// first event.
type Mark struct {
	Seq uint64 `json:"seq"`
	ID  string `json:"id"`
}

// maxState bounds the stored state of a decider; a longer one is not stored.
const maxState = 32 << 20

// saveWait bounds how long storing a snapshot may take at the end of a process.
const saveWait = 5 * time.Second

// snapshotEvery is after how many events of a session states are stored, at
// least: a state of more than statePerEvent bytes for each of them is stored as
// much less often, so that what storing takes grows with the events only.
const (
	snapshotEvery = 500
	statePerEvent = 256
)

// errSnapshot says that a stored snapshot is of no use here.
var errSnapshot = errors.New("the snapshot does not fit")

// stored is a position in a session, and what an actor knew there.
type stored struct {
	Version string `json:"version"` // of the program and of the state's structure
	Project string `json:"project"`
	Session string `json:"session"`
	Actor   string `json:"actor"`
	At      Mark   `json:"at"`              // newest event taken; all facts decided on it are on the log
	Done    uint64 `json:"done,omitempty"`  // newest own fact that was decided again or appended
	Last    uint64 `json:"last,omitempty"`  // newest own event
	Facts   uint64 `json:"facts,omitempty"` // ever decided
	State   []byte `json:"state"`
	Sum     []byte `json:"sum"`
}

// sum is the checksum of everything else.
func (d *stored) sum() []byte {
	h := sha256.New()
	for _, s := range []string{d.Version, d.Project, d.Session, d.Actor, d.At.ID} {
		_ = binary.Write(h, binary.BigEndian, uint64(len(s))) // a hash never fails
		h.Write([]byte(s))
	}
	_ = binary.Write(h, binary.BigEndian, []uint64{d.At.Seq, d.Done, d.Last, d.Facts})
	h.Write(d.State)
	return h.Sum(nil)
}

// stateOf is where and of what program a state is stored.
type stateOf struct {
	build, project, session, actor string
}

func (s stateOf) key() string { return "states." + s.project + "." + s.session + "." + s.actor }

// capture is a state as it is stored.
func (s stateOf) capture(at Mark, state any) (*stored, error) {
	shape, err := snapshot.Shape(state)
	if err != nil {
		return nil, err
	}
	d := &stored{Version: s.build + " " + shape, Project: s.project, Session: s.session, Actor: s.actor, At: at}
	if d.State, err = snapshot.Encode(state); err != nil {
		return nil, err
	}
	if len(d.State) > maxState {
		return nil, fmt.Errorf("%w: %d bytes, at most %d", errSnapshot, len(d.State), maxState)
	}
	d.Sum = d.sum()
	return d, nil
}

// restore puts a stored state into one that is at its beginning. After an error
// that must not be used.
func (s stateOf) restore(d *stored, state any) error {
	shape, err := snapshot.Shape(state)
	switch {
	case err != nil:
		return err
	case d.Version != s.build+" "+shape:
		return fmt.Errorf("%w: it is of another program", errSnapshot)
	case d.Project != s.project || d.Session != s.session || d.Actor != s.actor || d.At.Seq == 0:
		return fmt.Errorf("%w: it is of %s in session %s of %s", errSnapshot, d.Actor, d.Session, d.Project)
	case !bytes.Equal(d.Sum, d.sum()):
		return fmt.Errorf("%w: it is damaged", errSnapshot)
	}
	return snapshot.Decode(d.State, state)
}

func (h *Handler) stateOf() stateOf {
	return stateOf{h.build, h.project, h.session, h.Machine.Name()}
}

// capture is the handler's position and state, between two events.
func (h *Handler) capture() (*stored, error) {
	state, facts := h.Machine.State()
	d, err := h.stateOf().capture(h.position(), state)
	if err == nil {
		d.Done, d.Last, d.Facts = h.done, h.last, *facts
		d.Sum = d.sum()
	}
	return d, err
}

// keep stores the handler's position beside its work, unless the one before is
// still being stored. One that cannot be stored costs time at the next start.
func (h *Handler) keep(ctx context.Context) {
	if h.snapshots == nil || h.spoiled.Load() || !h.keeping.CompareAndSwap(false, true) {
		return
	}
	h.fresh = 0
	d, err := h.capture()
	if err != nil {
		h.keeping.Store(false)
		notStored(ctx, h.Logger, err)
		return
	}
	h.stored, h.pace = true, max(h.every, len(d.State)/statePerEvent)
	h.saving.Go(func() {
		defer h.keeping.Store(false)
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), saveWait)
		defer cancel()
		if err := h.snapshots.PutSnapshot(ctx, h.stateOf().key(), d); err != nil {
			notStored(ctx, h.Logger, err)
		}
	})
}

// notStored reports a snapshot that could not be stored. One that is too large
// will not fit later either, and the events behind the last smaller one are read
// at each start.
func notStored(ctx context.Context, log *slog.Logger, err error) {
	if errors.Is(err, events.ErrTooLarge) || errors.Is(err, errSnapshot) {
		log.WarnContext(ctx, "the state is too large for a snapshot; starts read the session from the last smaller one",
			"error", err)
		return
	}
	log.InfoContext(ctx, "snapshot not stored", "error", err)
}

// forget removes the snapshot of a decider whose session is over.
func (h *Handler) forget(ctx context.Context) {
	if !h.stored {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, saveWait)
	defer cancel()
	if err := h.snapshots.DropSnapshot(ctx, h.stateOf().key()); err != nil {
		h.Logger.Info("snapshot not removed", "error", err)
	}
}

// restore takes the handler to its stored position. One that is missing,
// damaged, or of another program leaves it at the beginning.
func (h *Handler) restore(ctx context.Context) {
	if h.snapshots == nil {
		return
	}
	var d stored
	if err := h.snapshots.Snapshot(ctx, h.stateOf().key(), &d); err != nil {
		h.Logger.Debug("no snapshot is used", "error", err)
		return
	}
	h.stored = true
	state, facts := h.Machine.State()
	if err := h.stateOf().restore(&d, state); err != nil {
		h.Logger.Info("snapshot discarded", "error", err)
		h.discard()
		return
	}
	*facts, h.done, h.last = d.Facts, d.Done, d.Last
	h.moveTo(d.At)
}

// discard begins anew, before the first event.
func (h *Handler) discard() {
	h.Machine, h.done, h.last, h.recorded = h.start(), 0, 0, nil
	h.moveTo(Mark{})
}
