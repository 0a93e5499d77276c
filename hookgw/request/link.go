package request

import (
	"context"
	"errors"
	"net/http"

	"manualslop/events"
	"manualslop/hookgw/problem"
)

// Link is the gateway's connection to the bus; *bus.Conn is one.
type Link interface {
	// Reachable says why the bus cannot be reached now, in words for clients; nil if it can.
	Reachable() error
	// Room says why not everything can be stored now, in words for clients; nil if it can. The end of a session may
	// still be stored.
	Room() error
	// Links counts how often the connection was made.
	Links() uint64
}

// Reachable returns why nothing can be read or written now, or nil if everything can. Meanwhile the contents of the
// models are not shown, because their age is unknown.
func (g *Core) Reachable() *problem.Problem {
	if err := g.Models.Err(); err != nil && !errors.Is(err, events.ErrClosed) {
		return problem.New(http.StatusServiceUnavailable, "the read models are no longer updated: "+err.Error(),
			"Restart the gateway; it reads the log again.").WithCause(err)
	}
	if err := g.Bus.Reachable(); err != nil {
		return away(err)
	}
	return nil
}

// Current is like Reachable, but also waits until the models include the events that were stored while the link was
// lost. The first requests over a new link wait for that as long as their clients do.
func (g *Core) Current(ctx context.Context) *problem.Problem {
	if p := g.Reachable(); p != nil {
		return p
	}
	link := g.Bus.Links()
	if g.linked.Load() == link {
		return nil
	}
	last, err := g.end(ctx)
	if err == nil {
		caught, cancel := context.WithTimeout(ctx, g.Limits.CatchUp)
		defer cancel()
		err = g.Models.WaitFor(caught, last)
	}
	if err != nil {
		return away(err)
	}
	g.linked.Store(link)
	return nil
}

// end returns the end of the log. If the bus is lost again during the call, the caller waits until it is back.
func (g *Core) end(ctx context.Context) (uint64, error) {
	ctx, cancel := context.WithTimeout(ctx, g.Limits.CatchUp)
	defer cancel()
	return g.Log.Last(ctx, events.Filter{Project: g.Project})
}

func away(err error) *problem.Problem {
	return problem.New(http.StatusServiceUnavailable, "the bus cannot be reached: "+err.Error(),
		"Nothing is lost; try again once the bus is back. GET /status still answers.").WithCause(err)
}
