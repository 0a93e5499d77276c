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

// busPools gives the runtime the pools of a project.
type busPools struct {
	conn    *bus.Conn
	project string
}

// At is how far a pool is; events.ErrNoPool.
func (p busPools) At(ctx context.Context, kind string) (runtime.PoolAt, error) {
	state, err := p.conn.PoolState(ctx, events.PoolName(kind, p.project))
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

// busText shows the gateway the live text of a project's models.
func busText(conn *bus.Conn, project string) feed.Signals {
	return func(ctx context.Context, session string, take func(feed.Signal)) error {
		return conn.Signals(ctx, bus.Signal{Project: project, Session: session, Actor: events.ActorModels},
			func(s bus.Signal) {
				take(feed.Signal{Actor: s.Actor, Name: s.Name, Body: s.Body})
			})
	}
}
