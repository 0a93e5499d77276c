package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync"
	"time"

	"manualslop/bus"
	"manualslop/events"
	"manualslop/projections"
	"manualslop/projections/live"
)

// mcpLook is how often the engine looks for MCP servers that were killed while
// asks of their clients are open.
const mcpLook = 500 * time.Millisecond

// withdrawLost withdraws the asks of MCP clients whose server was killed before
// it could do so, until ctx ends.
func (e *Engine) withdrawLost(ctx context.Context) error {
	log, err := e.Log()
	if err != nil {
		return err
	}
	lost := &lostCalls{project: e.Name, log: log, live: e.Live, gone: e.MCPGone, withdraw: e.withdrawCall,
		logger: e.Logger, open: map[askKey]mcpAsk{}}
	if err := lost.run(ctx); err != nil && ctx.Err() == nil {
		return fmt.Errorf("follow asks of MCP clients: %w", err)
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

// lostCalls tracks the open asks of MCP clients.
type lostCalls struct {
	project  string
	log      events.Log // its watches yield decoded events
	live     *live.Live
	gone     func(server string) (bool, error)
	withdraw func(ctx context.Context, session, call string) error
	logger   *slog.Logger

	mu   sync.Mutex
	open map[askKey]mcpAsk
}

type askKey struct{ session, ask string }

// mcpAsk is an open ask of an MCP client.
type mcpAsk struct {
	call, server string
	withdrawn    bool
}

// run reads the open asks once and then follows new ones, until ctx ends. The watch begins before the read, so no ask
// is missed in between.
func (l *lostCalls) run(ctx context.Context) error {
	end, err := l.log.Last(ctx, events.Filter{Project: l.project})
	if err != nil {
		return err
	}
	if err := l.live.WaitFor(ctx, end); err != nil {
		return err
	}
	for _, s := range l.live.Sessions() {
		if s.Closed != nil || s.PendingAsks == 0 {
			continue
		}
		if err := l.look(ctx, s.Session); err != nil {
			return err
		}
	}
	var following sync.WaitGroup
	defer following.Wait()
	following.Go(func() {
		if err := l.follow(ctx, end+1); err != nil && ctx.Err() == nil {
			l.logger.Warn("asks of killed MCP servers stay open until the next start", "error", err)
		}
	})
	for ctx.Err() == nil {
		if err := l.settle(ctx); err != nil && ctx.Err() == nil {
			l.logger.Warn("an ask of a killed MCP server stays open", "error", err)
		}
		rest(ctx, mcpLook)
	}
	return nil
}

// look adds the open asks of a session.
func (l *lostCalls) look(ctx context.Context, session string) error {
	view, ok := l.live.Session(session)
	if !ok {
		return nil
	}
	var open []projections.Ask
	if err := view.Read(ctx, func(s *projections.Set) { open = s.OpenAsks() }); err != nil {
		return err
	}
	for _, a := range open {
		l.raised(session, a.Ask, a.Call)
	}
	return nil
}

func (l *lostCalls) raised(session, ask, call string) {
	server, ok := events.MCPServerOf(call)
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open[askKey{session, ask}] = mcpAsk{call: call, server: server}
}

// follow applies the asks that are raised and settled from a position on.
func (l *lostCalls) follow(ctx context.Context, from uint64) error {
	for {
		_, feed, err := l.log.Watch(ctx, events.Filter{Project: l.project, Actor: events.ActorApproval}, from)
		if err != nil {
			return err
		}
		for e, err := range feed {
			if errors.Is(err, events.ErrSlow) {
				break
			}
			if err != nil {
				return err
			}
			switch p := e.Payload.(type) {
			case events.AskRaised:
				l.raised(e.Session, p.Ask, p.Call)
			case events.AskSettled:
				l.mu.Lock()
				delete(l.open, askKey{e.Session, p.Ask})
				l.mu.Unlock()
			}
			from = e.Seq + 1
		}
		if ctx.Err() != nil {
			return nil
		}
	}
}

// settle withdraws the calls behind the open asks whose server is gone. A withdrawn call stays listed until its ask
// is settled.
func (l *lostCalls) settle(ctx context.Context) error {
	l.mu.Lock()
	open := maps.Clone(l.open)
	l.mu.Unlock()
	gone := map[string]bool{} // by server
	var failed error
	for key, a := range open {
		if a.withdrawn {
			continue
		}
		if _, known := gone[a.server]; !known {
			var err error
			if gone[a.server], err = l.gone(a.server); err != nil {
				failed = err
				continue
			}
		}
		if !gone[a.server] {
			continue
		}
		if err := l.withdraw(ctx, key.session, a.call); err != nil {
			failed = fmt.Errorf("withdraw ask %s: %w", key.ask, err)
			continue
		}
		l.mu.Lock()
		if now, is := l.open[key]; is {
			now.withdrawn = true
			l.open[key] = now
		}
		l.mu.Unlock()
	}
	return failed
}
