package site

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"manualslop/bus"
	"manualslop/cmd/slop/exit"
	"manualslop/events"
)

// Connector opens connections with the rights of a role, to an embedded bus or to an external one. Nothing else
// differs between the two.
type Connector struct {
	Server  *bus.Server
	Dial    bus.DialConfig
	project string

	mu    sync.Mutex
	Conns []*bus.Conn
}

// As connects as a role. The connector closes the connection.
func (c *Connector) As(ctx context.Context, role bus.Role) (*bus.Conn, error) {
	var conn *bus.Conn
	var err error
	switch role.Kind {
	case bus.Worker, bus.Models, bus.Timers:
		role.Project = c.project
	}
	if c.Server != nil {
		conn, err = c.Server.Connect(role)
	} else {
		d := c.Dial
		d.Role = role
		conn, err = bus.Dial(ctx, d)
	}
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.Conns = append(c.Conns, conn)
	return conn, nil
}

// Close ends every connection, and the bus if it is embedded.
func (c *Connector) Close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.Conns {
		conn.Close()
	}
	if c.Server != nil {
		c.Server.Close()
	}
}

// OpenBus starts the embedded bus of a data folder, or uses the external one that the flags name.
func (g *Flags) OpenBus(ctx context.Context, p Place, listen string) (*Connector, error) {
	if g.Remote(p) {
		return &Connector{Dial: g.DialConfig(p), project: p.Name}, nil
	}
	if listen == "" {
		listen = p.Config.Bus.Listen
	}
	if err := p.Claim(); err != nil {
		return nil, err
	}
	server, err := openBesideReader(ctx, bus.Config{
		Dir: p.Data, Project: p.Name, Durability: p.Config.Bus.Durability, Listen: listen, MaxBytes: p.Config.Bus.MaxBytes,
		People: []string{p.Person}, Agents: []string{AgentHooks}, Serves: p.Project, Logger: g.Logger(),
	})
	if errors.Is(err, bus.ErrConfig) {
		return nil, &exit.Error{Code: exit.Usage, Err: err}
	}
	if err != nil {
		return nil, &exit.Error{Code: exit.Failed, Err: err}
	}
	return &Connector{Server: server, project: p.Name}, nil
}

// Reading is what the lock of a data folder names while a command reads it without an engine.
const Reading = "slop, reading"

// A reading command ends soon, so an engine that starts at the same time waits for it.
const (
	readerWait  = 10 * time.Second // longer than a command that lists something takes
	readerPause = 50 * time.Millisecond
)

// openBesideReader opens a data folder as soon as no command reads it.
func openBesideReader(ctx context.Context, c bus.Config) (*bus.Server, error) {
	until := time.Now().Add(readerWait)
	for {
		server, err := bus.Open(ctx, c)
		locked, is := errors.AsType[*bus.LockedError](err)
		if !is || locked.Serves != Reading || time.Now().After(until) {
			return server, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(readerPause):
		}
	}
}

// AgentHooks is the actor of requests with the gateway's ask token.
const AgentHooks = events.AgentPrefix + "hooks"

// Remote reports whether the bus is external.
func (g *Flags) Remote(p Place) bool {
	return g.NATS != "" || g.context != "" || p.Config.Bus.URL != ""
}

func (g *Flags) DialConfig(p Place) bus.DialConfig {
	url := g.NATS
	if url == "" && g.context == "" {
		url = p.Config.Bus.URL
	}
	return bus.DialConfig{Recent: bus.NewRecent(), URL: url, Creds: g.Creds, Context: g.context,
		Replicas: p.Config.Bus.Replicas, Logger: g.Logger()}
}

// NeedRemote returns an error if a role that runs alone has no external bus.
func (g *Flags) NeedRemote(p Place, role string) error {
	if g.Remote(p) {
		return nil
	}
	return &exit.Error{Code: exit.Usage, Err: fmt.Errorf("slop %s runs alone and needs a bus: give --nats URL --creds "+
		"FILE, or --context NAME; `slop bus --nats-listen` starts one", role)}
}
