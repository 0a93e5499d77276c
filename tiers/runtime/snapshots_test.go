package runtime_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/tiers"
	"manualslop/tiers/runtime"
)

// shelf keeps snapshots in memory.
type shelf struct {
	mu    sync.Mutex
	kept  map[string][]byte
	times map[string]int // that something was stored, by key
	fails error
}

// puts is how often something was stored under keys with a suffix.
func (s *shelf) puts(suffix string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for key, times := range s.times {
		if strings.HasSuffix(key, suffix) {
			n += times
		}
	}
	return n
}

func (s *shelf) PutSnapshot(_ context.Context, key string, v any) error {
	b, err := json.Marshal(v)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept == nil {
		s.kept, s.times = map[string][]byte{}, map[string]int{}
	}
	s.times[key]++
	if err == nil && s.fails == nil {
		s.kept[key] = b
	}
	return errors.Join(err, s.fails)
}

func (s *shelf) Snapshot(_ context.Context, key string, v any) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.kept[key] == nil {
		return errors.New("no such key")
	}
	return json.Unmarshal(s.kept[key], v)
}

func (s *shelf) DropSnapshot(_ context.Context, key string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.kept, key)
	return nil
}

// change replaces text in everything that is kept under keys with a suffix.
func (s *shelf) change(t *testing.T, suffix, old, now string) {
	t.Helper()
	changed := false
	for key, b := range s.kept {
		if strings.HasSuffix(key, suffix) && bytes.Contains(b, []byte(old)) {
			s.kept[key], changed = bytes.ReplaceAll(b, []byte(old), []byte(now)), true
		}
	}
	require.True(t, changed, "nothing holds %s", old)
}

// countingLog counts the events that are read.
type countingLog struct {
	events.Log
	mu   sync.Mutex
	read int
}

func (l *countingLog) Read(ctx context.Context, f events.Filter, from, to uint64) iter.Seq2[events.Event, error] {
	return func(yield func(events.Event, error) bool) {
		for e, err := range l.Log.Read(ctx, f, from, to) {
			l.mu.Lock()
			l.read++
			l.mu.Unlock()
			if !yield(e, err) {
				return
			}
		}
	}
}

// count is how many events were read since the last time.
func (l *countingLog) count() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := l.read
	l.read = 0
	return n
}

// office is one decider on a log in memory that can be stopped and started.
type office struct {
	t     *testing.T
	log   *countingLog
	shelf *shelf
	build string
	role  func() *tiers.Machine
	stop  func()

	logger *slog.Logger
}

func newOffice(t *testing.T) *office {
	return &office{t: t, log: &countingLog{Log: eventstest.NewMemory()}, shelf: &shelf{}, build: "b1", role: obliging,
		logger: logger()}
}

// start runs the decider.
func (o *office) start() {
	o.t.Helper()
	crew := &runtime.Orchestrator{Project: project, Build: o.build, SnapshotEvery: 10, Logger: o.logger,
		Roles: []runtime.Role{{Start: o.role, Log: o.log, Snapshots: o.shelf}}}
	reader := readerOf(o.log)
	reader.Logger = o.logger
	reader.Subscribe(crew)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { _ = crew.Run(ctx, reader) })
	o.stop = sync.OnceFunc(func() { cancel(); wg.Wait() })
	o.t.Cleanup(o.stop)
}

// works has a session complete one more goal, so that everything before it was taken.
func (o *office) works(session string) {
	o.t.Helper()
	id := say1(o.t, o.log, session, events.GoalSubmitted{Goal: "work"})
	eventstest.ExpectWhere(o.t, o.log, events.Filter{Project: project, Session: session}, "its completion",
		func(e events.Event) bool { return e.Cause == id })
}

// requireOnce checks that each goal of a session was completed exactly once.
func (o *office) requireOnce(session string) {
	o.t.Helper()
	goals, done := 0, map[string]int{}
	for e, err := range o.log.Log.Read(o.t.Context(), events.Filter{Project: project, Session: session}, 1, 0) {
		require.NoError(o.t, err)
		switch e.Type {
		case "GoalSubmitted":
			goals++
		case "GoalCompleted":
			done[e.Cause]++
			require.EqualValues(o.t, len(done), e.N)
		}
	}
	require.Len(o.t, done, goals)
	for cause, n := range done {
		require.Equal(o.t, 1, n, cause)
	}
}

// hoarding is a decider that completes each goal and keeps its text.
func hoarding() *tiers.Machine {
	return tiers.Decider[[]string]{
		Name: events.ActorConductor,
		New:  func() []string { return nil },
		Evolve: func(kept []string, e *events.Event) []string {
			switch p := e.Payload.(type) {
			case events.GoalSubmitted:
				return append(kept, p.Goal, e.ID)
			case events.GoalCompleted:
				return append(kept, "")
			}
			return kept
		},
		Decide: func(kept []string, _ *events.Event) []events.Payload {
			if len(kept) == 0 || kept[len(kept)-1] == "" {
				return nil
			}
			return []events.Payload{events.GoalCompleted{Goal: kept[len(kept)-1]}}
		},
	}.Start()
}

func TestALongStateIsStoredLessOften(t *testing.T) {
	t.Parallel()
	stored := func(goal string) int {
		o := newOffice(t)
		o.role = hoarding
		say1(t, o.log, "S1", events.SessionOpened{})
		o.start()
		for range 200 {
			id := say1(t, o.log, "S1", events.GoalSubmitted{Goal: goal})
			eventstest.ExpectWhere(t, o.log, events.Filter{Project: project, Session: "S1"}, "its completion",
				func(e events.Event) bool { return e.Cause == id })
		}
		o.stop()
		return o.shelf.puts("conductor")
	}
	long := stored(strings.Repeat("g", 1024))
	require.LessOrEqual(t, long, 10, "about twice as far from each to the next")
	require.Greater(t, stored("g"), 2*long)
}

func TestAStartReadsNoMoreOfLongOpenSessionsThanOfShortOnes(t *testing.T) {
	t.Parallel()
	const sessions = 5
	read := map[int]int{}
	for _, long := range []int{20, 200} {
		o := newOffice(t)
		for i := range sessions {
			say1(t, o.log, fmt.Sprint("S", i), events.SessionOpened{})
		}
		o.start()
		for i := range sessions {
			for range long {
				o.works(fmt.Sprint("S", i))
			}
		}
		o.stop()
		o.log.count()
		o.start()
		o.works("S0")
		o.stop()
		read[long] = o.log.count()
		for i := range sessions {
			o.requireOnce(fmt.Sprint("S", i))
		}
	}
	require.LessOrEqual(t, read[200], read[20]+3*sessions, "what came while the engine stopped varies")
	require.Less(t, read[200], 60)
}

func TestEverySessionClosedWhileNoEngineRanIsSettledOnce(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for _, s := range []string{"S1", "S2", "S3", "S4"} {
		say1(t, o.log, s, events.SessionOpened{})
		say1(t, o.log, s, events.GoalSubmitted{Goal: "work"})
	}
	for _, s := range []string{"S1", "S2", "S3"} {
		say1(t, o.log, s, events.SessionClosed{Reason: "done"})
	}
	o.start()
	for _, s := range []string{"S1", "S2", "S3", "S4"} {
		eventstest.Expect(t, o.log, events.Filter{Project: project, Session: s}, "GoalCompleted")
	}
	o.works("S4")
	o.shelf.untilNothingIsOwed(t)
	o.stop()
	o.log.count()
	o.start()
	o.works("S4")
	o.stop()
	require.Less(t, o.log.count(), 20, "what is settled is not read again")
	clear(o.shelf.kept)
	o.start()
	o.works("S4")
	o.stop()
	for _, s := range []string{"S1", "S2", "S3", "S4"} {
		o.requireOnce(s)
	}
}

// untilNothingIsOwed waits until the ledger says that every closed session is settled.
func (s *shelf) untilNothingIsOwed(t *testing.T) {
	t.Helper()
	require.Eventually(t, func() bool {
		var page struct {
			Closed runtime.Mark
			Owing  []string
		}
		err := s.Snapshot(t.Context(), "states."+project+".-ledger.conductor", &page)
		return err == nil && page.Closed.Seq > 0 && len(page.Owing) == 0
	}, eventstest.Patience, time.Millisecond)
}

func TestASnapshotThatDoesNotFitIsComputedAgain(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(o *office){
		"deleted":               func(o *office) { clear(o.shelf.kept) },
		"of another program":    func(o *office) { o.build = "b2" },
		"without its state":     func(o *office) { o.shelf.change(t, ".S1.conductor", `"state":"`, `"state":"AAAA`) },
		"at another position":   func(o *office) { o.shelf.change(t, ".S1.conductor", `"done":`, `"done":1`) },
		"of another session":    func(o *office) { o.shelf.change(t, ".S1.conductor", `"session":"S1"`, `"session":"S2"`) },
		"no JSON":               func(o *office) { o.shelf.change(t, ".S1.conductor", `{`, ``) },
		"of an event elsewhere": func(o *office) { o.elsewhere() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t)
			say1(t, o.log, "S1", events.SessionOpened{})
			o.start()
			for range 25 {
				o.works("S1")
			}
			o.stop()
			spoil(o)
			for key, b := range o.shelf.kept { // else it would not be asked for before something happens
				if strings.Contains(key, "-ledger") {
					o.shelf.kept[key] = bytes.ReplaceAll(b, []byte(`"rest"`), []byte(`"_"`))
				}
			}
			o.start()
			o.works("S1")
			o.stop()
			o.requireOnce("S1")
		})
	}
}

// elsewhere makes a snapshot one of another log, with a sum that is right.
func (o *office) elsewhere() {
	other := newOffice(o.t)
	say1(o.t, other.log, "S1", events.SessionOpened{})
	other.start()
	for range 25 {
		other.works("S1")
	}
	other.stop()
	o.shelf.kept = other.shelf.kept
}

func TestAStoreThatRefusesSnapshotsCostsTimeOnly(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	o.shelf.fails = events.ErrTooLarge
	say1(t, o.log, "S1", events.SessionOpened{})
	for range 3 {
		o.start()
		for range 15 {
			o.works("S1")
		}
		o.stop()
	}
	o.requireOnce("S1")
}

func TestStateTooLargeForASnapshotGoesOnFromTheLastSmallerOne(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	var said bytes.Buffer
	o.logger = slog.New(slog.NewTextHandler(&said, nil))
	say1(t, o.log, "S1", events.SessionOpened{})
	o.start()
	for range 50 {
		o.works("S1")
	}
	o.stop()
	small := len(eventstest.All(t, o.log.Log, events.Filter{Project: project, Session: "S1"}))
	o.shelf.refuse(events.ErrTooLarge)
	o.start()
	for range 25 {
		o.works("S1")
	}
	o.stop()
	require.Contains(t, said.String(), "the state is too large for a snapshot")
	large := len(eventstest.All(t, o.log.Log, events.Filter{Project: project, Session: "S1"}))
	o.log.count()
	o.start()
	o.works("S1")
	o.stop()
	o.requireOnce("S1")
	require.Less(t, o.log.count(), 2*(large-small), "what the smaller one holds is not read")
}

// refuse makes storing fail from now on.
func (s *shelf) refuse(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fails = err
}

func TestClosedSessionLeavesNoSnapshot(t *testing.T) {
	t.Parallel()
	o := newOffice(t)
	for _, s := range []string{"S1", "S2"} {
		say1(t, o.log, s, events.SessionOpened{})
	}
	o.start()
	for range 25 {
		o.works("S1")
		o.works("S2")
	}
	o.stop()
	require.Contains(t, o.shelf.keys(), "states."+project+".S1.conductor")
	say1(t, o.log, "S1", events.SessionClosed{Reason: "while no engine runs"})
	o.start()
	o.shelf.untilGone(t, "states."+project+".S1.conductor")
	require.Contains(t, o.shelf.keys(), "states."+project+".S2.conductor", "it is open")
	say1(t, o.log, "S2", events.SessionClosed{Reason: "while one runs"})
	o.shelf.untilGone(t, "states."+project+".S2.conductor")
	o.stop()
	o.requireOnce("S1")
}

func (s *shelf) keys() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.kept))
}

func (s *shelf) untilGone(t *testing.T, key string) {
	t.Helper()
	require.Eventually(t, func() bool { return !slices.Contains(s.keys(), key) }, eventstest.Patience, time.Millisecond)
}

func TestASessionPutToRestGoesOnWhenSomethingHappens(t *testing.T) {
	t.Parallel()
	log := &countingLog{Log: eventstest.NewMemory()}
	o := &office{t: t, log: log, shelf: &shelf{}}
	crew := &runtime.Orchestrator{Project: project, SnapshotEvery: 10, Loaded: 1, RestAfter: 1, Logger: logger(),
		Roles: []runtime.Role{{Start: obliging, Log: log, Snapshots: o.shelf}}}
	for i := range 4 {
		say1(t, log, fmt.Sprint("S", i), events.SessionOpened{})
	}
	engineOn(t, readerOf(log), crew)
	for round := range 40 {
		o.works(fmt.Sprint("S", round%4))
	}
	require.Less(t, log.count(), 250, "a session that goes on is read from its snapshot")
	for i := range 4 {
		o.requireOnce(fmt.Sprint("S", i))
	}
}

func TestAnEngineGoesOnWithoutReadingItsOpenSessionsWhole(t *testing.T) {
	t.Parallel()
	w := newWorld(t, map[string]string{"a.txt": "hello\n"})
	w.reads = &countingLog{}
	w.open(nil)
	w.yesToAll()
	script := writes + strings.NewReplacer("T-1", "T-2", "TR-1", "TR-2").Replace(writes)
	stop := w.startWithoutWorker(script)
	w.runWorker("worker-test-1")
	w.say(events.GoalSubmitted{Goal: "greet"})
	before := len(w.until(isType("GoalCompleted")))
	stop()
	w.reads.count()
	w.startWithoutWorker(script)
	w.say(events.GoalSubmitted{Goal: "greet again"})
	requireWhole(t, w.untilCount(func(e *events.Event) bool { return e.Type == "GoalCompleted" || e.Type == "GoalFailed" },
		2))
	require.Less(t, w.reads.count(), before, "mostly far fewer; a busy machine stores its last snapshots late")
}
