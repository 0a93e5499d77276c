package runtime_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/tiers"
	"manualslop/tiers/runtime"
)

// obliging completes each goal at once, and panics on the goal "panic".
func obliging() *tiers.Machine {
	return tiers.Decider[[]string]{
		Name: events.ActorConductor,
		New:  func() []string { return nil },
		Evolve: func(goals []string, e *events.Event) []string {
			switch p := e.Payload.(type) {
			case events.GoalSubmitted:
				if p.Goal == "panic" {
					panic(fmt.Sprintf("at %p", &p))
				}
				return append(goals, e.ID)
			case events.GoalCompleted:
				return goals[1:]
			}
			return goals
		},
		Decide: func(goals []string, _ *events.Event) []events.Payload {
			if len(goals) == 0 {
				return nil
			}
			return []events.Payload{events.GoalCompleted{Goal: goals[0]}}
		},
	}.Start()
}

// say1 appends a person's word to a session of a log.
func say1(t *testing.T, log events.Log, session string, p events.Payload) string {
	t.Helper()
	e, err := events.New(events.Origin{ID: newID(), Time: time.Now(), Project: project, Session: session, Actor: person},
		p)
	require.NoError(t, err)
	_, err = log.Append(t.Context(), e, nil)
	require.NoError(t, err)
	return e.ID
}

// engineOn reads a log for subscribers until the test ends, or stop is called.
func engineOn(t *testing.T, reader *runtime.Reader, subs ...runtime.Subscriber) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	for _, sub := range subs {
		reader.Subscribe(sub)
	}
	var wg sync.WaitGroup
	wg.Go(func() { _ = reader.Run(ctx) })
	stop = sync.OnceFunc(func() {
		cancel()
		wg.Wait()
		for _, sub := range subs {
			if o, ok := sub.(*runtime.Orchestrator); ok {
				o.Wait()
			}
		}
	})
	t.Cleanup(stop)
	return stop
}

func readerOf(log events.Log) *runtime.Reader {
	return &runtime.Reader{Log: log, Registry: events.Catalogue(), Project: project, Logger: logger()}
}

func TestADeciderThatPanicsStopsItsSessionAndNothingElse(t *testing.T) {
	t.Parallel()
	log := eventstest.NewMemory()
	for _, s := range []string{"S1", "S2"} {
		say1(t, log, s, events.SessionOpened{})
	}
	crew := &runtime.Orchestrator{Project: project, Roles: []runtime.Role{{Start: obliging, Log: log}}, Logger: logger()}
	engineOn(t, readerOf(log), crew)
	at := say1(t, log, "S1", events.GoalSubmitted{Goal: "panic"})
	found := eventstest.Expect(t, log, events.Filter{Project: project, Session: "S1"}, "SessionStalled")
	require.Equal(t, events.SessionStalled{Decider: events.ActorConductor, At: at,
		Reason: "an error in the program stopped the decider conductor on GoalSubmitted (event " + at +
			"); see its log"}, found[0].Payload)
	say1(t, log, "S2", events.GoalSubmitted{Goal: "work"})
	eventstest.Expect(t, log, events.Filter{Project: project, Session: "S2"}, "GoalCompleted")
}

// fragile panics on the first event of a session behind its beginning.
type fragile struct {
	mu    sync.Mutex
	taken map[string]int
}

func (f *fragile) Begin(context.Context, string, []*events.Event) {}

func (f *fragile) Take(_ context.Context, e *events.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.taken == nil {
		f.taken = map[string]int{}
	}
	if f.taken[e.Session]++; e.Session == "S1" {
		panic("a fold is wrong")
	}
}

func TestAFoldThatPanicsStopsInItsSessionAndNothingElse(t *testing.T) {
	t.Parallel()
	log := eventstest.NewMemory()
	for _, s := range []string{"S1", "S2"} {
		say1(t, log, s, events.SessionOpened{})
	}
	crew := &runtime.Orchestrator{Project: project, Roles: []runtime.Role{{Start: obliging, Log: log}}, Logger: logger()}
	fold, reader := &fragile{}, readerOf(log)
	stopped := make(chan string, 10)
	reader.Stopped = func(session, part string, reason error) { stopped <- session + " " + part + ": " + reason.Error() }
	stop := engineOn(t, reader, fold, crew)
	for _, s := range []string{"S1", "S2"} {
		say1(t, log, s, events.GoalSubmitted{Goal: "work"})
		eventstest.Expect(t, log, events.Filter{Project: project, Session: s}, "GoalCompleted")
	}
	stop()
	require.Equal(t, "S1 runtime_test.fragile: an error in the program stopped runtime_test.fragile in this session",
		<-stopped)
	require.Empty(t, stopped)
	require.Equal(t, 1, fold.taken["S1"], "a fold that panicked takes nothing more of that session")
	require.Positive(t, fold.taken["S2"])
}

// blindLog refuses appends because of an event that it does not show.
type blindLog struct {
	events.Log
	typ      string // of those that are refused
	mu       sync.Mutex
	attempts []time.Time
}

func (l *blindLog) Append(ctx context.Context, e events.Event, x *events.Expect) (uint64, error) {
	if e.Type != l.typ {
		return l.Log.Append(ctx, e, x)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.attempts = append(l.attempts, time.Now())
	return 0, events.ErrConflict
}

// tries are the times of the appends that were refused.
func (l *blindLog) tries() []time.Time {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.attempts)
}

// requirePauses checks that each try but the first came after a pause.
func requirePauses(t *testing.T, tries []time.Time) {
	t.Helper()
	for i := 1; i < len(tries); i++ {
		require.GreaterOrEqual(t, tries[i].Sub(tries[i-1]), 90*time.Millisecond)
	}
}

func TestAConflictThatCannotBeReadIsTriedAgainWithPausesAndThenStalls(t *testing.T) {
	t.Parallel()
	log := eventstest.NewMemory()
	say1(t, log, "S1", events.SessionOpened{})
	blind := &blindLog{Log: log, typ: "GoalCompleted"}
	crew := &runtime.Orchestrator{Project: project, Roles: []runtime.Role{{Start: obliging, Log: blind}}, Logger: logger()}
	engineOn(t, readerOf(log), crew)
	say1(t, log, "S1", events.GoalSubmitted{Goal: "work"})
	found := eventstest.Expect(t, log, events.Filter{Project: project, Session: "S1"}, "SessionStalled")
	require.Contains(t, found[0].Payload.(events.SessionStalled).Reason,
		"an unreadable event of conductor after sequence 0")
	require.Len(t, blind.tries(), 21)
	requirePauses(t, blind.tries())
}

func TestAConflictOfARemarkThatCannotBeReadIsTriedAgainWithPauses(t *testing.T) {
	t.Parallel()
	log := eventstest.NewMemory()
	say1(t, log, "S1", events.SessionOpened{})
	blind := &blindLog{Log: log, typ: "SessionStalled"}
	crew := &runtime.Orchestrator{Project: project, Roles: []runtime.Role{{Start: obliging, Log: blind}}, Logger: logger()}
	engineOn(t, readerOf(log), crew)
	say1(t, log, "S1", events.GoalSubmitted{Goal: "panic"})
	require.Eventually(t, func() bool { return len(blind.tries()) > 2 }, eventstest.Patience, time.Millisecond)
	requirePauses(t, blind.tries())
}

// endingLog ends each feed for good.
type endingLog struct{ events.Log }

func (l endingLog) Watch(context.Context, events.Filter, uint64) (uint64, iter.Seq2[events.Event, error], error) {
	return 0, func(yield func(events.Event, error) bool) { yield(events.Event{}, events.ErrReplaced) }, nil
}

func TestDecidersEndWithTheReadingAndSayWhy(t *testing.T) {
	t.Parallel()
	log := eventstest.NewMemory()
	say1(t, log, "S1", events.SessionOpened{})
	crew := &runtime.Orchestrator{Project: project, Roles: []runtime.Role{{Start: obliging, Log: log}}, Logger: logger()}
	reader := readerOf(endingLog{log})
	reader.Subscribe(crew)
	require.ErrorIs(t, crew.Run(t.Context(), reader), events.ErrReplaced)
}
