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
