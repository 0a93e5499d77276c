package runtime

import (
	"slices"
	"sync"

	"manualslop/tools/checkpoint"
)

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
