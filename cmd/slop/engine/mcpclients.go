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
	_, feed, err := e.own.Watch(ctx, events.Filter{Project: e.Name, Actor: events.ActorMCP}, 1)
	if ctx.Err() != nil {
		return nil
	}
	if err != nil {
		return fmt.Errorf("follow MCP clients: %w", err)
	}
	var called sync.Map // sessions in which MCP clients called
	e.Group.Go(func() error {
		for ev, err := range feed {
			if err != nil {
				if ctx.Err() == nil {
					e.Logger.Warn("asks of killed MCP servers stay open until the next start", "error", err)
				}
				return nil
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
			if err := e.withdrawLostOf(ctx, s.Session, withdrawn); err != nil && ctx.Err() == nil {
				e.Logger.Warn("asks of a killed MCP server stay open", "session", s.Session, "error", err)
			}
		}
		rest(ctx, mcpLook)
	}
	return nil
}

func (e *Engine) withdrawLostOf(ctx context.Context, session string, withdrawn map[string]bool) error {
	view, ok := e.Live.Session(session)
	if !ok {
		return nil
	}
	var open []projections.Ask
	if err := view.Read(ctx, func(s *projections.Set) { open = s.OpenAsks() }); err != nil {
		return err
	}
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
		if err := e.withdrawCall(ctx, session, a.Call); err != nil {
			return fmt.Errorf("withdraw ask %s: %w", a.Ask, err)
		}
		withdrawn[a.Call] = true
	}
	return nil
}

func (e *Engine) withdrawCall(ctx context.Context, session, call string) error {
	agent, err := e.Bus.Server.Connect(bus.Role{Kind: bus.Agent, Name: events.ActorMCP})
	if err != nil {
		return err
	}
	defer agent.Close()
	writer := SessionWriter{Log: agent, Project: e.Name, Session: session, Person: events.ActorMCP, Mask: e.Mask}
	_, _, err = writer.Publish(ctx, events.CallAbandoned{Call: call, Reason: "the MCP server was killed"})
	return err
}
