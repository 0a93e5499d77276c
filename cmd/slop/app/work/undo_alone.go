package work

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

// aloneWait limits how long an undo without an engine may take.
const aloneWait = 5 * time.Minute

// aloneClient is the part of an engine that an undo needs when none is running: the deciders and a worker.
type aloneClient struct {
	*client.Bus
	engine *engine.Engine
}

// Close stops both.
func (d *aloneClient) Close() {
	if err := d.engine.Close(); err != nil {
		d.engine.Logger.Warn("the store was not closed cleanly", "error", err)
	}
}

// undoAlone undoes changes of a closed session without an engine.
func undoAlone(ctx context.Context, g *site.Flags, word string, f func(d client.Client, session string) error) error {
	return client.WithOpened(ctx, g, word, openAlone, func(d client.Client, s projections.Summary) error {
		err := f(d, s.Session)
		if alone, is := d.(*aloneClient); is {
			if left := alone.Place.TidyWorktrees(ctx, s.Session); left != nil {
				g.Notice("a worktree could not be removed: %v", left)
			}
		}
		return err
	})
}

// openAlone starts the roles that an undo needs. It returns an error while a session is open, because that session's
// calls would run as well.
func openAlone(ctx context.Context, g *site.Flags, p site.Place) (client.Client, error) {
	if !client.HasStore(p.Data) {
		return nil, exit.Errorf(exit.Failed, "%s has no record; there is nothing to undo", p.Data)
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
