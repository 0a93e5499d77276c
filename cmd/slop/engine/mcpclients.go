package engine

import (
	"context"
	"fmt"
	"sync"
	"time"

	"manualslop/bus"
	"manualslop/events"
	"manualslop/projections"
)

// mcpLook is how often the engine looks for asks whose MCP server was killed.
const mcpLook = 500 * time.Millisecond

// withdrawLost withdraws the asks of MCP clients whose server was killed before
// it could do so, until ctx ends.
func (e *Engine) withdrawLost(ctx context.Context) error {
	agent, err := e.Bus.As(ctx, bus.Role{Kind: bus.Agent, Name: events.ActorMCP})
	if err != nil {
		return err
	}
	_, feed, err := e.own.Watch(ctx, events.Filter{Project: e.Name, Actor: events.ActorMCP}, 1)
	if err != nil {
		return fmt.Errorf("follow MCP clients: %w", err)
	}
	var called sync.Map // sessions in which MCP clients called
	e.Group.Go(func() error {
		for ev, err := range feed {
			if err != nil && ctx.Err() == nil {
				return fmt.Errorf("follow MCP clients: %w", err)
			}
			called.Store(ev.Session, true)
		}
		return nil
	})
	withdrawn := map[string]bool{} // calls
	for ctx.Err() == nil {
		for _, s := range e.Live.Sessions() {
			if _, in := called.Load(s.Session); !in || s.Closed != nil || s.PendingAsks == 0 {
				continue
			}
			if err := e.withdrawLostOf(ctx, agent, s.Session, withdrawn); err != nil && ctx.Err() == nil {
				e.Logger.Warn("asks of a killed MCP server stay open", "session", s.Session, "error", err)
			}
		}
		rest(ctx, mcpLook)
	}
	return nil
}

func (e *Engine) withdrawLostOf(ctx context.Context, agent *bus.Conn, session string, withdrawn map[string]bool) error {
	view, ok := e.Live.Session(session)
	if !ok {
		return nil
	}
	var open []projections.Ask
	if err := view.Read(ctx, func(s *projections.Set) { open = s.OpenAsks() }); err != nil {
		return err
	}
	writer := SessionWriter{Log: agent, Project: e.Name, Session: session, Person: events.ActorMCP, Mask: e.Mask}
	gone := map[string]bool{} // by server
	for _, a := range open {
		server, ok := events.MCPServerOf(a.Call)
		if !ok || withdrawn[a.Call] {
			continue
		}
		if _, known := gone[server]; !known {
			var err error
			if gone[server], err = e.MCPGone(server); err != nil {
				return err
			}
		}
		if !gone[server] {
			continue
		}
		if _, _, err := writer.Publish(ctx, events.CallAbandoned{Call: a.Call,
			Reason: "the MCP server was killed"}); err != nil {
			return fmt.Errorf("withdraw ask %s: %w", a.Ask, err)
		}
		withdrawn[a.Call] = true
	}
	return nil
}
