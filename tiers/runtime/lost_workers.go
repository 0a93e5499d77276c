package runtime

import (
	"context"
	"log/slog"
	"slices"
	"sync"

	"manualslop/events"
)

// LostWorkers puts on record that a worker stopped showing itself. It reports
// only: the call that the worker held is handed out again by its queue.
type LostWorkers struct {
	Project string
	Log     events.Log // with the rights of the actor timers
	Clock   Clock
	IDs     IDs
	Logger  *slog.Logger

	mu   sync.Mutex
	open []string // sessions
}

// Restore needs nothing of what was: an open session is all that counts.
func (p *LostWorkers) Restore(context.Context, string, Mark) Mark { return Nothing }

// Save stores nothing.
func (p *LostWorkers) Save(string, Mark) func(context.Context) { return nil }

// Begin notes an open session.
func (p *LostWorkers) Begin(ctx context.Context, session string, history []*events.Event) {
	p.mu.Lock()
	p.open = append(p.open, session)
	p.mu.Unlock()
	for _, e := range history {
		p.Take(ctx, e)
	}
}

// Take notes that a session is closed.
func (p *LostWorkers) Take(_ context.Context, e *events.Event) {
	if !closes(e) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open = slices.DeleteFunc(p.open, func(s string) bool { return s == e.Session })
}

// Gone records the loss of a worker in every open session. Other actors are
// shown by the gateway and not recorded. Where the log has no room for it, the
// loss is not recorded: it is a notice, and the last room is for more.
func (p *LostWorkers) Gone(ctx context.Context, actor string) {
	if !events.IsWorker(actor) {
		return
	}
	p.mu.Lock()
	sessions := slices.Clone(p.open)
	p.mu.Unlock()
	for _, s := range sessions {
		e, err := events.New(events.Origin{ID: p.IDs(), Time: p.Clock(), Project: p.Project, Session: s,
			Actor: events.ActorTimers}, events.WorkerLost{Worker: actor})
		if err == nil {
			err = appendUnless(ctx, p.Log, e, p.Logger, func(err error) bool { return fatal(err) || waitsForRoom(err) })
		}
		if err != nil && ctx.Err() == nil {
			p.Logger.Error("the loss of a worker was not recorded", "worker", actor, "error", err)
		}
		if waitsForRoom(err) {
			return
		}
	}
}
