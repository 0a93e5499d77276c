package app

import (
	"context"
	"fmt"
	"time"

	"manualslop/bus"
	"manualslop/cmd/slop/client"
	"manualslop/cmd/slop/engine"
	"manualslop/cmd/slop/exit"
	"manualslop/cmd/slop/site"
	"manualslop/events"
	"manualslop/projections"
)

// aloneWait is how long an undo without an engine may take.
const aloneWait = 5 * time.Minute

// aloneClient is what an undo needs of an engine, where none runs: who decides
// about it, and a worker.
type aloneClient struct {
	*client.Bus
	engine *engine.Engine
}

// Close ends both.
func (d *aloneClient) Close() {
	if err := d.engine.Close(); err != nil {
		d.engine.Logger.Warn("the store was not closed well", "error", err)
	}
}

// undoAlone undoes what was done in a session that is over, without an engine.
func undoAlone(ctx context.Context, g *site.Flags, word string, f func(d client.Client, session string) error) error {
	return client.WithOpened(ctx, g, word, openAlone, func(d client.Client, s projections.Summary) error {
		err := f(d, s.Session)
		if alone, is := d.(*aloneClient); is {
			if left := alone.Place.TidyWorktrees(ctx, s.Session); left != nil {
				g.Notice("a worktree was kept: %v", left)
			}
		}
		return err
	})
}

// openAlone starts what an undo needs. A session that is still open keeps it
// from that: its calls would go on, too.
func openAlone(ctx context.Context, g *site.Flags, p site.Place) (client.Client, error) {
	if !client.HasStore(p.Data) {
		return nil, exit.Errorf(exit.Failed, "%s holds no record; there is nothing to undo", p.Data)
	}
	e, err := engine.New(ctx, g, p, "", nil)
	if err != nil {
		return nil, err
	}
	d := &aloneClient{&client.Bus{Place: p, Conns: e.Bus, Mask: e.Mask, Wait: aloneWait}, e}
	if err := d.start(); err != nil {
		d.Close()
		return nil, err
	}
	return d, nil
}

func (d *aloneClient) start() (err error) {
	e := d.engine
	if d.Read, err = e.Bus.As(e.Ctx, bus.Role{Kind: bus.Reader}); err != nil {
		return err
	}
	open, err := engine.OpenSessions(e.Ctx, d.Read, e.Name)
	if err != nil {
		return err
	}
	if len(open) > 0 {
		return exit.Errorf(exit.Failed, "%w; session %s is still open", site.ErrNoEngine, open[len(open)-1])
	}
	if err := e.Orchestrate([]string{events.ActorApproval}); err != nil {
		return err
	}
	if _, err := e.Work(0); err != nil {
		return fmt.Errorf("start a worker: %w", err)
	}
	return nil
}
