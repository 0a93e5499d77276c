package engine

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"manualslop/bus"
	"manualslop/events"
)

// presenceGrace is how long roles may take to announce themselves before they count as missing.
const presenceGrace = time.Second

// anyWorker is the entry for workers among the required roles.
const anyWorker = "worker"

// presence tracks the roles that are running for a project. The lists are rebuilt when a role appears or disappears,
// because every read needs them.
type presence struct {
	mu               sync.RWMutex
	here             map[string]bool
	settled          bool // the grace is over: absent roles are missing
	present, missing []string
}

func newPresence() *presence {
	a := &presence{here: map[string]bool{}}
	time.AfterFunc(presenceGrace, a.settle)
	return a
}

// settle ends the grace.
func (a *presence) settle() { a.change(func() { a.settled = true }) }

func (a *presence) changed(actor string, here bool) {
	a.change(func() {
		if here {
			a.here[actor] = true
		} else {
			delete(a.here, actor)
		}
	})
}

// change runs do and builds the lists again.
func (a *presence) change(do func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	do()
	a.present, a.missing = slices.Sorted(maps.Keys(a.here)), nil
	if !a.settled {
		return
	}
	for _, role := range OrchestratorRoles() {
		if !a.here[role] {
			a.missing = append(a.missing, role)
		}
	}
	if !slices.ContainsFunc(a.present, events.IsWorker) {
		a.missing = append(a.missing, anyWorker)
	}
}

// roles lists the actors that are present, and the missing roles. The lists are shared: callers must not change them.
func (a *presence) roles() (present, missing []string) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.present, a.missing
}

// watchPresence tracks the running roles until the engine ends.
func (e *Engine) watchPresence(conn *bus.Conn, changed func(actor string, here bool)) {
	e.Group.Go(func() error {
		for e.Ctx.Err() == nil {
			if err := conn.Presence(e.Ctx, e.Name, changed); err != nil && e.Ctx.Err() == nil {
				e.Logger.Info("resubscribing to the running roles", "error", err)
			}
			rest(e.Ctx, presenceGrace/10)
		}
		return nil
	})
}

// rest waits for d, or until ctx ends.
func rest(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
