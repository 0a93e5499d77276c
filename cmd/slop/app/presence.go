package app

import (
	"context"
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

// attendance is who shows that it is at work on a project.
type attendance struct {
	begun time.Time
	mu    sync.Mutex
	here  map[string]bool
}

func newAttendance() *attendance { return &attendance{begun: time.Now(), here: map[string]bool{}} }

func (a *attendance) changed(actor string, here bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if here {
		a.here[actor] = true
	} else {
		delete(a.here, actor)
	}
}

// roles lists the actors that are there, and the roles that nobody runs.
func (a *attendance) roles() (present, missing []string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	working := false
	for actor := range a.here {
		present = append(present, actor)
		working = working || events.IsWorker(actor)
	}
	slices.Sort(present)
	if time.Since(a.begun) < presenceGrace {
		return present, nil
	}
	for _, role := range orchestratorRoles() {
		if !a.here[role] {
			missing = append(missing, role)
		}
	}
	if !working {
		missing = append(missing, anyWorker)
	}
	return present, missing
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
