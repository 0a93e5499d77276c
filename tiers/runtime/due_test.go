package runtime_test

import (
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/tiers/runtime"
)

// askAgain asks for the second attempt at a reply, which is due at a time.
func (w *world) askAgain(on onWire, due time.Time) events.Event {
	w.t.Helper()
	return w.ask(on, func(p *events.ModelRequested) { p.Attempt, p.NotBefore = 2, &due })
}

// frozen is a clock that stands where it is set.
type frozen struct {
	mu sync.Mutex
	at time.Time
}

func (f *frozen) now() time.Time {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.at
}

func (f *frozen) set(at time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.at = at
}

func TestARetryThatIsNotDueHoldsNoSlot(t *testing.T) {
	t.Parallel()
	on := theWires()[0]
	w := newWorld(t, nil)
	w.openOn(on)
	clock := &frozen{at: time.Now()}
	w.clock = clock.now
	s := w.serveOn(t, on, allDone)
	due := clock.now().Add(50 * time.Second)
	asked := w.askAgain(on, due)
	c := w.callsModels(nil)
	for deliveries := range 30 {
		requireGivenBack(t, c.give(asked, deliveries+1))
	}
	require.Empty(t, s.Requests())
	clock.set(due.Add(time.Hour)) // the machine slept, and no timer went on meanwhile
	require.NoError(t, c.give(asked, 31))
	require.IsType(t, events.ModelReplied{}, w.outcomes(asked)[0])
}

func TestManyRetriesThatWaitLeaveASlotToOneThatIsDue(t *testing.T) {
	t.Parallel()
	on := theWires()[0]
	w := newWorld(t, nil)
	w.openOn(on)
	w.serveOn(t, on, allDone)
	due := time.Now().Add(time.Minute)
	for range 12 {
		w.askAgain(on, due)
	}
	asked := w.ask(on, nil)
	w.callsModels(w.connect(bus.Role{Kind: bus.Models})).run()
	w.until(isType("ModelReplied"))
	require.Len(t, w.outcomes(asked), 1)
}

func TestAClockThatWasSetBackDelaysNoRetry(t *testing.T) {
	t.Parallel()
	on := theWires()[0]
	w := newWorld(t, nil)
	w.openOn(on)
	w.clock = (&frozen{at: time.Now().Add(-time.Hour)}).now
	w.serveOn(t, on, allDone)
	due := time.Now().Add(20 * time.Millisecond)
	asked := w.askAgain(on, due)
	c, deliveries := w.callsModels(nil), 0
	require.Eventually(t, func() bool { deliveries++; return c.give(asked, min(deliveries, 20)) == nil },
		eventstest.Patience, time.Millisecond)
	require.IsType(t, events.ModelReplied{}, w.outcomes(asked)[0])
}

func TestARetryOfAKilledTicketIsNotWaitedFor(t *testing.T) {
	t.Parallel()
	on := theWires()[0]
	w := newWorld(t, nil)
	w.openOn(on)
	start := time.Now()
	w.clock = func() time.Time { return start }
	s := w.serveOn(t, on, allDone)
	due := start.Add(50 * time.Second)
	asked := w.askAgain(on, due)
	c := w.callsModels(nil)
	requireGivenBack(t, c.give(asked, 1))
	w.decided(events.ActorConductor, events.TicketKilled{Ticket: "T-1", Attempt: 1, By: person})
	require.Eventually(t, func() bool { return c.give(asked, 2) == nil }, eventstest.Patience, time.Millisecond)
	require.Equal(t, events.ModelCancelled, w.outcomes(asked)[0].(events.ModelFailed).Kind)
	require.Empty(t, s.Requests())
}

// TestTimersGoByTheWallClock holds a clock that stands, and one that jumps as it
// does when the machine wakes.
func TestTimersGoByTheWallClock(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.open(nil)
	clock := &frozen{at: time.Now()}
	timers := &runtime.Timers{Log: w.connect(bus.Role{Kind: bus.Timers}), Clock: clock.now, Logger: logger()}
	raised := func(ask string, in time.Duration) *events.Event {
		due := clock.now().Add(in)
		e := w.decided(events.ActorApproval, events.AskRaised{Ask: ask, Gate: events.GateTool, ExpiresAt: &due})
		return &e
	}
	hour, day := raised("hour", time.Hour), raised("day", 24*time.Hour)
	timers.Take(t.Context(), hour)
	timers.Take(t.Context(), day)
	clock.set(clock.now().Add(2 * time.Hour))
	log := w.until(isType("TimerFired"))
	require.Equal(t, "hour", log[len(log)-1].Payload.(events.TimerFired).Ask)
}

func TestAClockThatWasSetBackDelaysNoTimer(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.open(nil)
	due := time.Now().Add(20 * time.Millisecond)
	e := w.decided(events.ActorApproval, events.AskRaised{Ask: "soon", Gate: events.GateTool, ExpiresAt: &due})
	clock := &frozen{at: time.Now().Add(-time.Hour)}
	timers := &runtime.Timers{Log: w.connect(bus.Role{Kind: bus.Timers}), Clock: clock.now, Logger: logger()}
	timers.Take(t.Context(), &e)
	w.until(isType("TimerFired"))
}

func TestAConflictOfATimerThatCannotBeReadIsTriedAgainWithPauses(t *testing.T) {
	t.Parallel()
	w := newWorld(t, nil)
	w.open(nil)
	due := time.Now()
	e := w.decided(events.ActorApproval, events.AskRaised{Ask: "soon", Gate: events.GateTool, ExpiresAt: &due})
	log := &refusing{OwnLog: w.connect(bus.Role{Kind: bus.Timers}), typ: "TimerFired", with: events.ErrConflict, left: 3}
	timers := &runtime.Timers{Log: log, Clock: time.Now, Logger: logger()}
	timers.Take(t.Context(), &e)
	w.until(isType("TimerFired"))
	requirePauses(t, log.asked()[1:]) // another process may have explained the first conflict by then
}
