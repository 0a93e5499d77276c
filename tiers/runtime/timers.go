package runtime

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"slices"
	"sync"
	"time"

	"manualslop/events"
)

// timerPoll is how often a timer checks the clock. A process's timers stop while the machine
// sleeps, so none is set for longer than this.
const timerPoll = time.Second

// Timers is the effect that ends asks when they expire. Its timers are derived from the log, so a
// restart sets them again; see [Requests]. If the clock is set back while a process runs, an ask
// still does not wait longer than intended.
type Timers struct {
	Log    events.Log // with the rights of the actor timers
	Clock  Clock
	Logger *slog.Logger

	mu     sync.Mutex
	timers map[string]*time.Timer // by session and ask
}

// Take sets or stops a timer.
func (t *Timers) Take(ctx context.Context, e *events.Event) {
	switch p := e.Payload.(type) {
	case events.AskRaised:
		if p.ExpiresAt != nil {
			t.set(ctx, e, p.Ask, *p.ExpiresAt)
		}
	case events.AskSettled:
		t.stop(e.Session + " " + p.Ask)
	}
}

func (t *Timers) set(ctx context.Context, raised *events.Event, ask string, due time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timers == nil {
		t.timers = map[string]*time.Timer{}
	}
	key := raised.Session + " " + ask
	if t.timers[key] != nil {
		return
	}
	began := time.Now()
	left := func() time.Duration {
		return min(due.Sub(t.Clock()), due.Sub(raised.Time)-time.Since(began))
	}
	out := expiry{raised, events.TimerFired{Ask: ask, Due: due}}
	t.timers[key] = time.AfterFunc(min(left(), timerPoll), func() { t.look(ctx, key, left, out) })
}

// expiry is the event that a timer records, and its cause.
type expiry struct {
	raised *events.Event // provides the id, time and session
	fired  events.TimerFired
}

// look fires a timer that is due; otherwise it sets it again.
func (t *Timers) look(ctx context.Context, key string, left func() time.Duration, out expiry) {
	rest := left()
	if rest <= 0 {
		t.fire(ctx, out)
		t.stop(key)
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if timer := t.timers[key]; timer != nil && ctx.Err() == nil {
		timer.Reset(min(rest, timerPoll))
	}
}

func (t *Timers) stop(key string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if timer := t.timers[key]; timer != nil {
		timer.Stop()
		delete(t.timers, key)
	}
}

func (t *Timers) fire(ctx context.Context, out expiry) {
	if ctx.Err() != nil {
		return
	}
	raised := out.raised
	e, err := events.New(events.Origin{
		ID: events.DecidedID(events.ActorTimers, *raised, 0), Time: t.Clock(), Project: raised.Project,
		Session: raised.Session,
		Actor:   events.ActorTimers, Cause: raised.ID,
	}, out.fired)
	if err == nil {
		err = t.record(ctx, e)
	}
	if err != nil && ctx.Err() == nil {
		t.Logger.Error("cannot record an expiry", "ask", out.fired.Ask, "error", err)
	}
}

// record stores an expiry unless it is already in the log. It retries until the event is stored,
// ctx ends or the log finally rejects it.
func (t *Timers) record(ctx context.Context, e events.Event) error {
	f := events.Filter{Project: e.Project, Session: e.Session, Actor: e.Actor, Type: e.Type}
	var tries retries
	for before := uint64(math.MaxUint64); ; {
		found, last, err := isOn(ctx, t.Log, f, 1, e.ID)
		if err == nil && !found {
			_, err = t.Log.Append(ctx, e, &events.Expect{Filter: f, Last: last})
		}
		switch {
		case err == nil, errors.Is(err, events.ErrDuplicate):
			return nil
		case fatal(err):
			return err
		case errors.Is(err, events.ErrConflict) && last != before:
			before = last // another ask expired in the meantime, or another process wrote this one
			continue
		}
		if err := tries.wait(ctx, t.Logger, e.Type, err); err != nil {
			return err
		}
	}
}

// LostWorkers records that a worker stopped signalling its presence. The event has no other
// effect: the pool redelivers the worker's call.
type LostWorkers struct {
	Project string
	Log     events.Log // with the rights of the actor timers
	Clock   Clock
	IDs     IDs
	Logger  *slog.Logger

	mu   sync.Mutex
	open []string // open sessions
}

// Restore restores nothing: it only matters whether a session is open.
func (p *LostWorkers) Restore(context.Context, string, Mark) Mark { return Nothing }

// Save stores nothing.
func (p *LostWorkers) Save(string, Mark) func(context.Context) { return nil }

// Begin adds an open session.
func (p *LostWorkers) Begin(ctx context.Context, session string, history []*events.Event) {
	p.mu.Lock()
	p.open = append(p.open, session)
	p.mu.Unlock()
	for _, e := range history {
		p.Take(ctx, e)
	}
}

// Take removes a session when it is closed.
func (p *LostWorkers) Take(_ context.Context, e *events.Event) {
	if !closes(e) {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.open = slices.DeleteFunc(p.open, func(s string) bool { return s == e.Session })
}

// Gone records the loss of a worker in every open session. The loss of other actors is shown by
// the gateway but not recorded. If the log is nearly full, nothing is recorded, because the event
// is only informative.
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
			err = appendUntil(ctx, p.Log, e, p.Logger, func(err error) bool { return fatal(err) || waitsForRoom(err) })
		}
		if err != nil && ctx.Err() == nil {
			p.Logger.Error("cannot record the loss of a worker", "worker", actor, "error", err)
		}
		if waitsForRoom(err) {
			return
		}
	}
}
