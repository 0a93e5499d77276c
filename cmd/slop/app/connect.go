package app

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"manualslop/bus"
	"manualslop/events"
)

// connector opens connections with the rights of a role, to a bus of our own
// or to one elsewhere. Nothing but this differs between the two.
type connector struct {
	server  *bus.Server
	dial    bus.DialConfig
	project string

	mu    sync.Mutex
	conns []*bus.Conn
}

// as connects as a role; the connection is closed with the connector.
func (c *connector) as(ctx context.Context, role bus.Role) (*bus.Conn, error) {
	var conn *bus.Conn
	var err error
	switch role.Kind {
	case bus.Worker, bus.Models, bus.Timers:
		role.Project = c.project
	}
	if c.server != nil {
		conn, err = c.server.Connect(role)
	} else {
		d := c.dial
		d.Role = role
		conn, err = bus.Dial(ctx, d)
	}
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.conns = append(c.conns, conn)
	return conn, nil
}

// close ends every connection, and the bus if it is ours.
func (c *connector) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, conn := range c.conns {
		conn.Close()
	}
	if c.server != nil {
		c.server.Close()
	}
}

// openBus starts the embedded bus of a data folder, or points at another one.
func (g *globals) openBus(ctx context.Context, p place, listen string) (*connector, error) {
	if g.remote(p) {
		return &connector{dial: g.dialConfig(p), project: p.name}, nil
	}
	if listen == "" {
		listen = p.config.Bus.Listen
	}
	if err := p.claim(); err != nil {
		return nil, err
	}
	server, err := bus.Open(ctx, bus.Config{
		Dir: p.data, Project: p.name, Durability: p.config.Bus.Durability, Listen: listen, MaxBytes: p.config.Bus.MaxBytes,
		People: []string{p.person}, Agents: []string{agentHooks}, Serves: p.project, Logger: g.logger(),
	})
	if errors.Is(err, bus.ErrConfig) {
		return nil, &exitError{code: exitUsage, err: err}
	}
	if err != nil {
		return nil, &exitError{code: exitFailed, err: err}
	}
	return &connector{server: server, project: p.name}, nil
}

// agentHooks is the actor of what comes with the gateway's ask token.
const agentHooks = events.AgentPrefix + "hooks"

// remote tells whether the bus is somebody else's.
func (g *globals) remote(p place) bool {
	return g.nats != "" || g.context != "" || p.config.Bus.URL != ""
}

func (g *globals) dialConfig(p place) bus.DialConfig {
	url := g.nats
	if url == "" && g.context == "" {
		url = p.config.Bus.URL
	}
	return bus.DialConfig{Recent: bus.NewRecent(), URL: url, Creds: g.creds, Context: g.context, Replicas: p.config.Bus.Replicas, Logger: g.logger()}
}

// keysDir is where credentials for the bus's listener are written.
func (p place) keysDir() string { return filepath.Join(p.data, "keys") }

// needRemote refuses a role that runs alone without a bus to run on.
func (g *globals) needRemote(p place, role string) error {
	if g.remote(p) {
		return nil
	}
	return &exitError{code: exitUsage, err: fmt.Errorf("slop %s runs alone and needs a bus: give --nats URL --creds FILE, or --context NAME; `slop bus --nats-listen` starts one", role)}
}
