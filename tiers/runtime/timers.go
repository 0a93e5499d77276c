package runtime

import (
	"context"
	"errors"
	"log/slog"
	"math"
	"sync"
	"time"

	"manualslop/events"
)

// timerPoll is how often a timer looks at the clock. A timer of the process
// stands still while the machine sleeps, so none is set for longer.
const timerPoll = time.Second

// Timers is the effect that watches the clock for asks that expire. Its timers
// are derived from the log, so a restart sets them again; see [Requests]. A clock
// that was set back makes an ask wait no longer in one process than it was meant to.
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

// expiry is what a timer records, and why.
type expiry struct {
	raised *events.Event // its id, time and place
	fired  events.TimerFired
}

// look fires a timer that is due, and sets it again where it is not.
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
		t.Logger.Error("an expiry was not recorded", "ask", out.fired.Ask, "error", err)
	}
}

// record stores an expiry unless it is on the log, trying again until it is, ctx
// ends or the log refuses it for good.
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
			before = last // another ask expired meanwhile, or another process wrote this
			continue
		}
		if err := tries.wait(ctx, t.Logger, e.Type, err); err != nil {
			return err
		}
	}
}
