package app

import (
	"context"
	"fmt"
	"time"

	"manualslop/bus"
	"manualslop/events"
	"manualslop/projections"
)

// aloneWait is how long an undo without an engine may take.
const aloneWait = 5 * time.Minute

// aloneDesk is what an undo needs of an engine, where none runs: who decides
// about it, and a worker.
type aloneDesk struct {
	*busDesk
	engine *engine
}

// close ends both.
func (d *aloneDesk) close() {
	if err := d.engine.close(); err != nil {
		d.engine.logger.Warn("the store was not closed well", "error", err)
	}
}

// undoAlone undoes what was done in a session that is over, without an engine.
func (g *globals) undoAlone(ctx context.Context, word string, f func(d desk, session string) error) error {
	return g.withOpened(ctx, word, g.openAlone, func(d desk, s projections.Summary) error {
		err := f(d, s.Session)
		if alone, is := d.(*aloneDesk); is {
			if left := alone.place.tidyWorktrees(ctx, s.Session); left != nil {
				g.notice("a worktree stays: %v", left)
			}
		}
		return err
	})
}

// openAlone starts what an undo needs. A session that is still open keeps it
// from that: its calls would go on, too.
func (g *globals) openAlone(ctx context.Context, p place) (desk, error) {
	if !hasStore(p.data) {
		return nil, failed(exitFailed, "%s holds no record; there is nothing to undo", p.data)
	}
	e, err := g.newEngine(ctx, p, "", nil)
	if err != nil {
		return nil, err
	}
	d := &aloneDesk{&busDesk{place: p, conns: e.bus, mask: e.mask, wait: aloneWait}, e}
	if err := d.start(); err != nil {
		d.close()
		return nil, err
	}
	return d, nil
}

func (d *aloneDesk) start() (err error) {
	e := d.engine
	if d.read, err = e.bus.as(e.ctx, bus.Role{Kind: bus.Reader}); err != nil {
		return err
	}
	open, err := openSessions(e.ctx, d.read, e.name)
	if err != nil {
		return err
	}
	if len(open) > 0 {
		return failed(exitFailed, "%w; session %s is still open", errNoEngine, open[len(open)-1])
	}
	if err := e.orchestrate([]string{events.ActorApproval}); err != nil {
		return err
	}
	if _, err := e.work(0); err != nil {
		return fmt.Errorf("start a worker: %w", err)
	}
	return nil
}
