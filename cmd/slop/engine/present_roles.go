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

// presenceGrace is how long roles have to show themselves before one that did
// not counts as missing.
const presenceGrace = time.Second

// anyWorker stands for the workers among the roles that should be there.
const anyWorker = "worker"

// presence is who shows that it is at work on a project. The lists are made
// when somebody comes or goes, because every read asks for them.
type presence struct {
	mu               sync.RWMutex
	here             map[string]bool
	settled          bool // the grace is over: who is not here is missing
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

// change makes the lists anew behind what do does.
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

// roles lists the actors that are there, and the roles that nobody runs. The
// lists are shared: nobody may change them.
func (a *presence) roles() (present, missing []string) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.present, a.missing
}

// watchPresence follows who is at work until the engine ends.
func (e *Engine) watchPresence(conn *bus.Conn, changed func(actor string, here bool)) {
	e.Group.Go(func() error {
		for e.Ctx.Err() == nil {
			if err := conn.Presence(e.Ctx, e.Name, changed); err != nil && e.Ctx.Err() == nil {
				e.Logger.Info("watching for roles again", "error", err)
			}
			rest(e.Ctx, presenceGrace/10)
		}
		return nil
	})
}

// Rest waits, or until ctx ends.
func rest(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
