package engine

import (
	"context"
	"encoding/json"
	"strings"

	"manualslop/bus"
	"manualslop/events"
	"manualslop/hookgw/feed"
	"manualslop/tiers/runtime"
	"manualslop/tools"
	"manualslop/tools/mcp"
)

// busPools are the runtime's pools of a project on the bus.
type busPools struct {
	conn    *bus.Conn
	project string
}

// At returns the position of a pool; events.ErrNoPool if it is missing.
func (p busPools) At(ctx context.Context, kind string) (runtime.PoolAt, error) {
	state, err := p.conn.PoolState(ctx, events.PoolName(kind, p.project))
	return runtime.PoolAt{Done: state.Done, Given: state.Delivered, Held: state.Pending}, err
}

// Make creates a missing pool.
func (p busPools) Make(ctx context.Context, kind string, from uint64) error {
	return p.conn.MakePool(ctx, p.project, kind, from)
}

// Rewind makes a pool deliver its work again.
func (p busPools) Rewind(ctx context.Context, kind string, from uint64) error {
	return p.conn.RewindPool(ctx, events.PoolName(kind, p.project), from)
}

// toolSet combines the tools of the engine and those of external servers.
type toolSet struct {
	own     *tools.Registry
	servers *mcp.Manager
}

// Prepare prepares a call of an engine's or an external tool. It checks the user's trust again.
func (s toolSet) Prepare(ctx context.Context, env tools.Env, name string, args json.RawMessage) (*tools.Prepared,
	error) {
	if !strings.HasPrefix(name, events.ExternalToolPrefix) {
		return s.own.Prepare(ctx, env, name, args)
	}
	external, err := s.servers.Tools()
	if err != nil {
		return nil, err
	}
	return external.Prepare(ctx, env, name, args)
}

// busLive is a worker's re-published feed.
type busLive struct{ conn *bus.Conn }

// Follow decodes events and passes them on.
func (l busLive) Follow(ctx context.Context, f events.Filter, take func(events.Event)) error {
	registry := events.Catalogue()
	return l.conn.Follow(ctx, f, func(e events.Event) {
		registry.Decode(&e)
		take(e)
	})
}

// busText passes the live text of a project's models to the gateway.
func busText(conn *bus.Conn, project string) feed.Signals {
	return func(ctx context.Context, session string, take func(feed.Signal)) error {
		return conn.Signals(ctx, bus.Signal{Project: project, Session: session, Actor: events.ActorModels},
			func(s bus.Signal) {
				take(feed.Signal{Actor: s.Actor, Name: s.Name, Body: s.Body})
			})
	}
}
