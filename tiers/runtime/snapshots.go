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

// States is where an effect stores what it knows of sessions. The zero value
// stores nothing, and every session is then read from its first event.
type States struct {
	Project   string
	Actor     string // of the effect; it may write its own states only
	Build     string // of the program; states of another one are not used
	Snapshots Snapshots
	Logger    *slog.Logger
}

func (s States) of(session string) stateOf { return stateOf{s.Build, s.Project, session, s.Actor} }

// restore puts what is stored of a session into a state that is at its
// beginning; the zero Mark where there is nothing, and the state must not be
// used then.
func (s States) restore(ctx context.Context, session string, last Mark, state any) Mark {
	if s.Snapshots == nil {
		return Mark{}
	}
	var d stored
	if err := s.Snapshots.Snapshot(ctx, s.of(session).key(), &d); err != nil {
		s.Logger.Debug("no snapshot is used", "actor", s.Actor, "session", session, "error", err)
		return Mark{}
	}
	err := s.of(session).restore(&d, state)
	if err == nil && d.At.Seq <= last.Seq {
		return d.At
	}
	s.Logger.Info("snapshot discarded", "actor", s.Actor, "session", session, "error", err)
	return Mark{}
}

// save is how to store a state; it is encoded at once.
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

// forget is how to remove the state of a session that is closed.
func (s States) forget(session string) func(context.Context) {
	return func(ctx context.Context) {
		if s.Snapshots == nil {
			return
		}
		if err := s.Snapshots.DropSnapshot(ctx, s.of(session).key()); err != nil {
			s.Logger.Info("snapshot not removed", "actor", s.Actor, "session", session, "error", err)
		}
	}
}

// maxKeepers bounds the places of which a worker knows what their files held
// last. One that is forgotten is read anew by its next script.
const maxKeepers = 32

// keepers are the keepers of checkpoints by place. The zero value has none.
type keepers struct {
	mu      sync.Mutex
	byPlace map[string]*checkpoint.Keeper
	used    []string // places, the last one used at the end
}

// of is the keeper of a place; the one that was not used for longest makes room.
func (k *keepers) of(place string, store *checkpoint.Store) *checkpoint.Keeper {
	keeper, oldest := k.use(place, store)
	if oldest != "" {
		k.forget(oldest)
	}
	return keeper
}

// use finds or makes the keeper of a place, and names one that there is no room for.
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

// forget lets go of a place that is gone.
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
