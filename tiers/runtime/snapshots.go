package runtime

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"manualslop/events"
	"manualslop/tiers/snapshot"
	"manualslop/tools/checkpoint"
)

// Snapshots stores states between runs, as JSON by key. Losing one only costs time, so a store may
// reject or drop any of them.
type Snapshots interface {
	// PutSnapshot stores v under key and replaces any earlier value.
	PutSnapshot(ctx context.Context, key string, v any) error
	// Snapshot decodes the value stored under key into v. It returns an error if there is none.
	Snapshot(ctx context.Context, key string, v any) error
	// DropSnapshot removes what is stored under key.
	DropSnapshot(ctx context.Context, key string) error
}

// Mark identifies an event by its sequence and its id. The zero Mark is before the first event.
type Mark struct {
	Seq uint64 `json:"seq"`
	ID  string `json:"id"`
}

// maxState limits the stored state of a decider in bytes; a larger one is not stored.
const maxState = 32 << 20

// saveWait limits how long storing a snapshot may take at the end of a process.
const saveWait = 5 * time.Second

// snapshotEvery is the minimum number of events of a session between stored states. A state of
// more than statePerEvent bytes per event is stored correspondingly less often, so that the
// total cost of storing is linear in the number of events.
const (
	snapshotEvery = 500
	statePerEvent = 256
)

// errSnapshot means that a stored snapshot cannot be used here.
var errSnapshot = errors.New("the snapshot does not fit")

// stored is a position in a session and an actor's state at it.
type stored struct {
	Version string `json:"version"` // of the program and of the state's structure
	Project string `json:"project"`
	Session string `json:"session"`
	Actor   string `json:"actor"`
	At      Mark   `json:"at"`              // newest event taken; all facts decided on it are in the log
	Done    uint64 `json:"done,omitempty"`  // newest own fact that was decided again or appended
	Last    uint64 `json:"last,omitempty"`  // newest own event
	Facts   uint64 `json:"facts,omitempty"` // number of facts ever decided
	State   []byte `json:"state"`
	Sum     []byte `json:"sum"`
}

// sum returns the checksum of all other fields.
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

// stateOf identifies a stored state and the program that stored it.
type stateOf struct {
	build, project, session, actor string
}

func (s stateOf) key() string { return "states." + s.project + "." + s.session + "." + s.actor }

// capture returns a state in its stored form.
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

// restore decodes a stored state into an initial one, which must not be used after an error.
func (s stateOf) restore(d *stored, state any) error {
	shape, err := snapshot.Shape(state)
	switch {
	case err != nil:
		return err
	case d.Version != s.build+" "+shape:
		return fmt.Errorf("%w: it was made by another program version", errSnapshot)
	case d.Project != s.project || d.Session != s.session || d.Actor != s.actor || d.At.Seq == 0:
		return fmt.Errorf("%w: it belongs to %s in session %s of %s", errSnapshot, d.Actor, d.Session, d.Project)
	case !bytes.Equal(d.Sum, d.sum()):
		return fmt.Errorf("%w: it is damaged", errSnapshot)
	}
	return snapshot.Decode(d.State, state)
}

func (h *Handler) stateOf() stateOf {
	return stateOf{h.build, h.project, h.session, h.Machine.Name()}
}

// capture returns the handler's position and state, between two events.
func (h *Handler) capture() (*stored, error) {
	state, facts := h.Machine.State()
	d, err := h.stateOf().capture(h.position(), state)
	if err == nil {
		d.Done, d.Last, d.Facts = h.done, h.last, *facts
		d.Sum = d.sum()
	}
	return d, err
}

// keep stores the handler's position and state in the background, unless the previous ones are
// still being stored. A failure only costs time at the next start.
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

// notStored logs that a snapshot could not be stored. If it is too large, later ones will be too
// large as well, and each start reads all events after the last one that was stored.
func notStored(ctx context.Context, log *slog.Logger, err error) {
	if errors.Is(err, events.ErrTooLarge) || errors.Is(err, errSnapshot) {
		log.WarnContext(ctx, "the state is too large for a snapshot; each start reads the session from the last "+
			"smaller snapshot",
			"error", err)
		return
	}
	log.InfoContext(ctx, "cannot store a snapshot", "error", err)
}

// forget removes the snapshot of a decider whose session is over.
func (h *Handler) forget(ctx context.Context) {
	if !h.stored {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, saveWait)
	defer cancel()
	if err := h.snapshots.DropSnapshot(ctx, h.stateOf().key()); err != nil {
		h.Logger.Info("cannot remove a snapshot", "error", err)
	}
}

// restore restores the handler's stored position. If it is missing, damaged or from another
// program, the handler starts from the beginning.
func (h *Handler) restore(ctx context.Context) {
	if h.snapshots == nil {
		return
	}
	var d stored
	if err := h.snapshots.Snapshot(ctx, h.stateOf().key(), &d); err != nil {
		h.Logger.Debug("reading without a snapshot", "error", err)
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

// discard resets the handler to the state before the first event.
func (h *Handler) discard() {
	h.Machine, h.done, h.last, h.recorded = h.start(), 0, 0, nil
	h.moveTo(Mark{})
}

// States stores an effect's state for each session. The zero value stores nothing, and every session is
// then read from its first event.
type States struct {
	Project   string
	Actor     string // the effect, which may write only its own states
	Build     string // identifies the program; states of another one are not used
	Snapshots Snapshots
	Logger    *slog.Logger
}

func (s States) of(session string) stateOf { return stateOf{s.Build, s.Project, session, s.Actor} }

// restore decodes the stored state of a session into an initial one. It returns the zero Mark if
// there is none; state must not be used then.
func (s States) restore(ctx context.Context, session string, last Mark, state any) Mark {
	if s.Snapshots == nil {
		return Mark{}
	}
	var d stored
	if err := s.Snapshots.Snapshot(ctx, s.of(session).key(), &d); err != nil {
		s.Logger.Debug("reading without a snapshot", "actor", s.Actor, "session", session, "error", err)
		return Mark{}
	}
	err := s.of(session).restore(&d, state)
	if err == nil && d.At.Seq <= last.Seq {
		return d.At
	}
	s.Logger.Info("snapshot discarded", "actor", s.Actor, "session", session, "error", err)
	return Mark{}
}

// save returns a function that stores a state, which is encoded immediately.
func (s States) save(session string, at Mark, state any) func(context.Context) {
	if s.Snapshots == nil {
		return nil
	}
	d, err := s.of(session).capture(at, state)
	return func(ctx context.Context) {
		if err == nil {
			err = s.Snapshots.PutSnapshot(ctx, s.of(session).key(), d)
		}
		if err != nil {
			notStored(ctx, s.Logger.With("actor", s.Actor, "session", session), err)
		}
	}
}

// forget returns a function that removes the state of a closed session.
func (s States) forget(session string) func(context.Context) {
	return func(ctx context.Context) {
		if s.Snapshots == nil {
			return
		}
		if err := s.Snapshots.DropSnapshot(ctx, s.of(session).key()); err != nil {
			s.Logger.Info("cannot remove a snapshot", "actor", s.Actor, "session", session, "error", err)
		}
	}
}

// maxKeepers limits the number of workspaces whose last file contents a worker keeps. The contents
// of a dropped workspace are read again by its next script.
const maxKeepers = 32

// keepers holds the checkpoint keepers by workspace. The zero value is empty.
type keepers struct {
	mu      sync.Mutex
	byPlace map[string]*checkpoint.Keeper
	used    []string // workspaces, most recently used last
}

// of returns the keeper of a workspace. If there are too many, it drops the least recently used
// one.
func (k *keepers) of(place string, store *checkpoint.Store) *checkpoint.Keeper {
	keeper, oldest := k.use(place, store)
	if oldest != "" {
		k.forget(oldest)
	}
	return keeper
}

// use finds or creates the keeper of a workspace. It also returns the workspace that must be
// dropped, if any.
func (k *keepers) use(place string, store *checkpoint.Store) (keeper *checkpoint.Keeper, oldest string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.byPlace == nil {
		k.byPlace = map[string]*checkpoint.Keeper{}
	}
	if k.byPlace[place] == nil {
		k.byPlace[place] = store.Keeper()
	}
	k.used = append(slices.DeleteFunc(k.used, func(p string) bool { return p == place }), place)
	if len(k.used) > maxKeepers {
		oldest = k.used[0]
	}
	return k.byPlace[place], oldest
}

// forget releases the keeper of a workspace that is gone.
func (k *keepers) forget(place string) {
	k.mu.Lock()
	keeper := k.byPlace[place]
	delete(k.byPlace, place)
	k.used = slices.DeleteFunc(k.used, func(p string) bool { return p == place })
	k.mu.Unlock()
	if keeper != nil {
		keeper.Forget()
	}
}
