package app

import (
	"context"
	"errors"
	"fmt"

	"golang.org/x/sync/errgroup"

	"manualslop/bus"
	"manualslop/events"
)

// An engine stops in order: first the roles, which may still publish what they
// were about; then the gateway and the session logs, which show it; then the
// read models, and the bus last.

// front is what ends behind the roles.
type front struct {
	ctx   context.Context
	stop  context.CancelFunc
	group *errgroup.Group
}

func newFront(ctx context.Context) front {
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx))
	return front{ctx, stop, &errgroup.Group{}}
}

// background runs something beside the engine that ends with the roles.
func (e *engine) background(name string, run func() error) {
	ended := e.vitals.tasks.begin(name)
	e.group.Go(func() error {
		err := run()
		ended(err)
		return err
	})
}

// behind runs something that ends behind the roles. Where it fails before, the
// engine ends.
func (e *engine) behind(name string, run func(context.Context) error) {
	ended := e.vitals.tasks.begin(name)
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
	e.group.Go(func() error {
		select {
		case err := <-failed:
			return err
		case <-e.ctx.Done():
			return nil
		}
	})
}

// close stops everything in order, waits for it and for the read models'
// snapshots, and gives up the bus.
func (e *engine) close() error {
	e.stop()
	err := e.group.Wait()
	e.front.stop()
	if last := e.front.group.Wait(); !errors.Is(err, last) {
		err = errors.Join(err, last)
	}
	if e.live != nil {
		_ = e.live.Close() // why reading ended is known to the gateway, which said so
	}
	if e.files != nil {
		e.files.close()
	}
	e.bus.close()
	return err
}

// measure shows how this process is doing for as long as the engine runs.
func (e *engine) measure(conn *bus.Conn, actor string) {
	v := e.vitals
	v.mouth, v.sampler.name = mouth{conn, actor}, actor
	ended := v.tasks.begin("vitals")
	e.front.group.Go(func() error {
		v.follow(e.front.ctx)
		ended(nil)
		return nil
	})
	e.front.group.Go(func() error { boundGarbage(e.front.ctx, e.logger); return nil })
}

// measureRole measures a process that runs roles alone, by the connection of
// the first of them.
func (e *engine) measureRole() {
	if m := e.vitals.mouth; m.conn != nil {
		e.measure(m.conn, m.actor)
	}
}

// measureBus measures a process that runs the bus alone.
func (e *engine) measureBus() error {
	conn, err := e.bus.as(e.ctx, bus.Role{Kind: bus.Admin})
	if err != nil {
		return err
	}
	e.measure(conn, events.ActorAdmin)
	return nil
}
