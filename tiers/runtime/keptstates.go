package runtime

import (
	"context"
	"log/slog"
	"slices"
	"sync"

	"manualslop/tools/checkpoint"
)

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
