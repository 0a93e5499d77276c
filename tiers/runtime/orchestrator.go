package runtime

import (
	"context"
	"log/slog"
	"slices"
	"sync"

	"manualslop/events"
	"manualslop/tiers"
)

// Role is one decider that a process runs: how to start it, and a connection
// with its rights.
type Role struct {
	Start func() *tiers.Machine
	Log   events.Log
}

// Orchestrator runs deciders on every open session of a project. Any number
// of processes may run the same ones: each fact is appended once, and the
// others take it over.
type Orchestrator struct {
	Project string
	Roles   []Role
	Logger  *slog.Logger
	// Stopped hears of a decider that cannot go on with a session, and why; nil:
	// nobody does. It is called once for each and must not block.
	Stopped func(session, decider string, reason error)

	mu       sync.Mutex
	handlers map[string][]*Handler // of the sessions that are not over
	late     sync.Mutex            // one session that is over after the other
	wg       sync.WaitGroup
}

// Begin starts the deciders of a session. Those of one that is over decide what
// they still owe of its history and end.
func (o *Orchestrator) Begin(ctx context.Context, session string, history []*events.Event) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.handlers == nil {
		o.handlers = map[string][]*Handler{}
	}
	over := slices.ContainsFunc(history, closes)
	for _, r := range o.Roles {
		h := newHandler(r.Start(), r.Log, o.Logger, o.Project, session)
		h.stopped = o.Stopped
		if over {
			close(h.in)
		} else {
			o.handlers[session] = append(o.handlers[session], h)
		}
		o.wg.Go(func() { h.run(ctx, history); h.drain(ctx) })
	}
}

// Take hands an event to the session's deciders, waiting for one that is behind.
// Behind SessionClosed they decide nothing, so it is the last they get; see Late.
func (o *Orchestrator) Take(ctx context.Context, e *events.Event) {
	o.mu.Lock()
	handlers, open := o.handlers[e.Session]
	if closes(e) {
		delete(o.handlers, e.Session)
		defer func() {
			for _, h := range handlers {
				close(h.in)
			}
		}()
	}
	o.mu.Unlock()
	if !open {
		o.Late(ctx, e)
	}
	for _, h := range handlers {
		if h.Machine.Name() == e.Actor {
			continue
		}
		select {
		case h.in <- e:
		case <-ctx.Done():
			return
		}
	}
}

// Wait returns when every decider has stopped; the context of Begin ends them.
func (o *Orchestrator) Wait() { o.wg.Wait() }

// drain empties the mailbox of a stalled handler, so that it stops nobody else.
func (h *Handler) drain(ctx context.Context) {
	for more := true; more; {
		select {
		case <-ctx.Done():
			return
		case _, more = <-h.in:
		}
	}
}
