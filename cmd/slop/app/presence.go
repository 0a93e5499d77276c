package app

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

// attendance is who shows that it is at work on a project. The lists are made
// when somebody comes or goes, because every read asks for them.
type attendance struct {
	mu               sync.RWMutex
	here             map[string]bool
	settled          bool // the grace is over: who is not here is missing
	present, missing []string
}

func newAttendance() *attendance {
	a := &attendance{here: map[string]bool{}}
	time.AfterFunc(presenceGrace, a.settle)
	return a
}

// settle ends the grace.
func (a *attendance) settle() { a.change(func() { a.settled = true }) }

func (a *attendance) changed(actor string, here bool) {
	a.change(func() {
		if here {
			a.here[actor] = true
		} else {
			delete(a.here, actor)
		}
	})
}

// change makes the lists anew behind what do does.
func (a *attendance) change(do func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	do()
	a.present, a.missing = slices.Sorted(maps.Keys(a.here)), nil
	if !a.settled {
		return
	}
	for _, role := range orchestratorRoles() {
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
func (a *attendance) roles() (present, missing []string) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.present, a.missing
}

// watchPresence follows who is at work until the engine ends.
func (e *engine) watchPresence(conn *bus.Conn, changed func(actor string, here bool)) {
	e.group.Go(func() error {
		for e.ctx.Err() == nil {
			if err := conn.Presence(e.ctx, e.name, changed); err != nil && e.ctx.Err() == nil {
				e.logger.Info("watching for roles again", "error", err)
			}
			rest(e.ctx, presenceGrace/10)
		}
		return nil
	})
}

// rest waits, or until ctx ends.
func rest(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}
