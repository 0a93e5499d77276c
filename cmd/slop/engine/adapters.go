package engine

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"manualslop/bus"
	"manualslop/events"
	"manualslop/hookgw/feed"
	"manualslop/tiers/runtime"
	"manualslop/tools"
	"manualslop/tools/mcp"
)

// BusQueue gives the runtime its queue of claimed work.
type BusQueue struct{ Conn *bus.Conn }

// Work decodes deliveries and hands them on.
func (q BusQueue) Work(ctx context.Context, pool string, slots int, handle func(context.Context,
	runtime.Delivery) error) error {
	registry := events.Catalogue()
	return q.Conn.Work(ctx, pool, slots, func(ctx context.Context, d bus.Delivery) error {
		e := d.Event
		registry.Decode(&e)
		return handle(ctx, runtime.Delivery{Event: e, Deliveries: d.Deliveries})
	})
}

// BusClaims gives the runtime its store of leases.
type BusClaims struct{ Conn *bus.Conn }

// Create stores a claim; runtime.ErrClaimed if there is one.
func (c BusClaims) Create(ctx context.Context, key string, value []byte) (uint64, error) {
	revision, err := c.Conn.CreateClaim(ctx, key, value)
	if errors.Is(err, bus.ErrClaimed) {
		return 0, runtime.ErrClaimed
	}
	return revision, err
}

// Get reads a claim; runtime.ErrUnclaimed if there is none.
func (c BusClaims) Get(ctx context.Context, key string) ([]byte, uint64, error) {
	value, revision, err := c.Conn.Claim(ctx, key)
	if errors.Is(err, bus.ErrNoKey) {
		return nil, 0, runtime.ErrUnclaimed
	}
	return value, revision, err
}

// Update replaces a claim at its revision.
func (c BusClaims) Update(ctx context.Context, key string, value []byte, revision uint64) (uint64, error) {
	return c.Conn.UpdateClaim(ctx, key, value, revision)
}

// Purge removes a claim that did not move on.
func (c BusClaims) Purge(ctx context.Context, key string, revision uint64) error {
	return c.Conn.PurgeClaim(ctx, key, revision)
}

// Keys lists the claims.
func (c BusClaims) Keys(ctx context.Context) ([]string, error) { return c.Conn.ClaimKeys(ctx) }

// busPools gives the runtime the pools of a project.
type busPools struct {
	conn    *bus.Conn
	project string
}

// At is how far a pool is; runtime.ErrNoPool.
func (p busPools) At(ctx context.Context, kind string) (runtime.PoolAt, error) {
	state, err := p.conn.PoolState(ctx, events.PoolName(kind, p.project))
	if errors.Is(err, bus.ErrNoPool) {
		err = runtime.ErrNoPool
	}
	return runtime.PoolAt{Done: state.Done, Given: state.Delivered, Held: state.Pending}, err
}

// Make makes a pool that is missing.
func (p busPools) Make(ctx context.Context, kind string, from uint64) error {
	return p.conn.MakePool(ctx, p.project, kind, from)
}

// Rewind has a pool hand out again.
func (p busPools) Rewind(ctx context.Context, kind string, from uint64) error {
	return p.conn.RewindPool(ctx, events.PoolName(kind, p.project), from)
}

// toolSet has the tools of the engine and those of external servers.
type toolSet struct {
	own     *tools.Registry
	servers *mcp.Manager
}

// Prepare prepares a call of a tool that either has. What the person trusts is looked up anew.
func (s toolSet) Prepare(ctx context.Context, env tools.Env, name string, args json.RawMessage) (*tools.Prepared,
	error) {
	if !strings.HasPrefix(name, mcp.NamePrefix) {
		return s.own.Prepare(ctx, env, name, args)
	}
	external, err := s.servers.Tools()
	if err != nil {
		return nil, err
	}
	return external.Prepare(ctx, env, name, args)
}

// busLive gives a worker the re-published feed.
type busLive struct{ conn *bus.Conn }

// Follow decodes what comes and hands it on.
func (l busLive) Follow(ctx context.Context, f events.Filter, take func(events.Event)) error {
	registry := events.Catalogue()
	return l.conn.Follow(ctx, f, func(e events.Event) {
		registry.Decode(&e)
		take(e)
	})
}

// busSignals publishes what is never stored.
type busSignals struct{ conn *bus.Conn }

// Signal publishes one signal.
func (s busSignals) Signal(ctx context.Context, project, session, actor, name string, body []byte) error {
	return s.conn.Signal(ctx, project, session, actor, name, body)
}

// busText shows the gateway the live text of a project's models.
func busText(conn *bus.Conn, project string) feed.Signals {
	return func(ctx context.Context, session string, take func(feed.Signal)) error {
		return conn.Signals(ctx, bus.Signal{Project: project, Session: session, Actor: events.ActorModels},
			func(s bus.Signal) {
				take(feed.Signal{Actor: s.Actor, Name: s.Name, Body: s.Body})
			})
	}
}
