package engine

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"manualslop/bus"
	"manualslop/events"
)

// An engine stops in order: first the roles, which may still publish results; then the gateway and the session logs,
// which show them; then the read models, and the bus last.

// front holds what ends after the roles.
type front struct {
	ctx   context.Context
	stop  context.CancelFunc
	group *errgroup.Group
}

func newFront(ctx context.Context) front {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	return front{ctx, stop, &errgroup.Group{}}
}

// Background runs something in the engine that ends with the roles.
func (e *Engine) Background(name string, run func() error) {
	ended := e.Stats.tasks.begin(name)
	e.Group.Go(func() error {
		err := run()
		ended(err)
		return err
	})
}

// behind runs something that ends after the roles. If it fails before, the engine ends.
func (e *Engine) behind(name string, run func(context.Context) error) {
	ended := e.Stats.tasks.begin(name)
	failed := make(chan error, 1)
	e.front.group.Go(func() error {
		err := run(e.front.ctx)
		if err != nil {
			err = fmt.Errorf("%s: %w", name, err)
		}
		ended(err)
		failed <- err
		return err
	})
	e.Group.Go(func() error {
		select {
		case err := <-failed:
			return err
		case <-e.Ctx.Done():
			return nil
		}
	})
}

// Close stops everything in order, waits for it and for the read models' snapshots, and closes the bus.
func (e *Engine) Close() error {
	e.stop()
	err := e.Group.Wait()
	if servers, none := e.servers(); none == nil {
		err = errors.Join(err, servers.StopAll())
	}
	e.front.stop()
	if last := e.front.group.Wait(); !errors.Is(err, last) {
		err = errors.Join(err, last)
	}
	if e.Live != nil {
		_ = e.Live.Close() // the gateway knows and reported why reading ended
	}
	if e.files != nil {
		e.files.Close()
	}
	e.Bus.Close()
	return err
}

// measure shows how this process is doing for as long as the engine runs.
func (e *Engine) measure(conn *bus.Conn, actor string) {
	v := e.Stats
	v.publisher, v.sampler.name = publisher{conn, actor}, actor
	ended := v.tasks.begin("stats")
	e.front.group.Go(func() error {
		v.follow(e.front.ctx)
		ended(nil)
		return nil
	})
	e.front.group.Go(func() error { boundGarbage(e.front.ctx); return nil })
}

// MeasureRole measures a process that runs single roles, by the connection of the first of them.
func (e *Engine) MeasureRole() {
	if m := e.Stats.publisher; m.conn != nil {
		e.measure(m.conn, m.actor)
	}
}

// MeasureBus measures a process that runs only the bus.
func (e *Engine) MeasureBus() error {
	conn, err := e.Bus.As(e.Ctx, bus.Role{Kind: bus.Admin})
	if err != nil {
		return err
	}
	e.measure(conn, events.ActorAdmin)
	return nil
}
