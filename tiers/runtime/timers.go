package runtime

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"manualslop/events"
)

// Timers is the effect that watches the clock for asks that expire. Its timers
// are derived from the log, so a restart sets them again.
type Timers struct {
	Log    events.Log // with the rights of the actor timers
	Clock  Clock
	Logger *slog.Logger

	mu     sync.Mutex
	timers map[string]*time.Timer // by session and ask
}

// Begin sets the timers of a session's open asks.
func (t *Timers) Begin(ctx context.Context, _ string, history []*events.Event) {
	open := map[string]*events.Event{}
	for _, e := range history {
		switch p := e.Payload.(type) {
		case events.AskRaised:
			open[p.Ask] = e
		case events.AskSettled:
			delete(open, p.Ask)
		}
	}
	for _, e := range open {
		t.Take(ctx, e)
	}
}

// Take sets or stops a timer.
func (t *Timers) Take(ctx context.Context, e *events.Event) {
	switch p := e.Payload.(type) {
	case events.AskRaised:
		if p.ExpiresAt != nil {
			t.set(ctx, e, p)
		}
	case events.AskSettled:
		t.stop(e.Session + " " + p.Ask)
	}
}

func (t *Timers) set(ctx context.Context, e *events.Event, p events.AskRaised) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timers == nil {
		t.timers = map[string]*time.Timer{}
	}
	key := e.Session + " " + p.Ask
	if t.timers[key] != nil {
		return
	}
	t.timers[key] = time.AfterFunc(p.ExpiresAt.Sub(t.Clock()), func() {
		t.fire(ctx, e, p)
		t.stop(key)
	})
}

func (t *Timers) stop(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if timer := t.timers[key]; timer != nil {
		timer.Stop()
		delete(t.timers, key)
	}
}

func (t *Timers) fire(ctx context.Context, raised *events.Event, p events.AskRaised) {
	if ctx.Err() != nil {
		return
	}
	e, err := events.New(events.Origin{
		ID: events.DecidedID(events.ActorTimers, *raised, 0), Time: t.Clock(), Project: raised.Project, Session: raised.Session,
		Actor: events.ActorTimers, Cause: raised.ID,
	}, events.TimerFired{Ask: p.Ask, Due: *p.ExpiresAt})
	if err == nil {
		err = appendUntil(ctx, t.Log, e, t.Logger)
	}
	if err != nil && ctx.Err() == nil {
		t.Logger.Error("an expiry was not recorded", "ask", p.Ask, "error", err)
	}
}
