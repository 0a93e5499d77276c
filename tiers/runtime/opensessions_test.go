package runtime_test

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/tiers/runtime"
)

// countedLog counts the events that are read.
type countedLog struct {
	events.Log
	read *atomic.Int64
}

func (l countedLog) Read(ctx context.Context, f events.Filter, from, to uint64) iter.Seq2[events.Event, error] {
	return func(yield func(events.Event, error) bool) {
		for e, err := range l.Log.Read(ctx, f, from, to) {
			l.read.Add(1)
			if !yield(e, err) {
				return
			}
		}
	}
}

// begun notes which sessions are begun, and when all open ones are.
type begun struct {
	mu       sync.Mutex
	sessions []string
	heard    chan string
	started  chan struct{}
}

func (b *begun) Begin(_ context.Context, session string, _ []*events.Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.sessions = append(b.sessions, session)
}
func (b *begun) all() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.sessions)
}
func (b *begun) Take(_ context.Context, e *events.Event)                    { b.heard <- e.Session }
func (b *begun) Late(_ context.Context, e *events.Event)                    { b.heard <- e.Session }
func (b *begun) Started(uint64)                                             { close(b.started) }
func (b *begun) Save(string, runtime.Mark) (store func(context.Context))    { return nil }
func (b *begun) Restore(context.Context, string, runtime.Mark) runtime.Mark { return runtime.Nothing }

// listed is a log with many closed sessions that an engine followed.
type listed struct {
	*owing
	sessions int
	read     atomic.Int64
}

func newListed(t *testing.T, closed int) *listed {
	t.Helper()
	l := &listed{owing: newOwing(t), sessions: closed + 2}
	l.says("S-first", person, events.SessionOpened{})
	for n := range closed {
		session := fmt.Sprintf("C%d", n)
		l.says(session, person, events.SessionOpened{})
		l.says(session, person, events.GoalSubmitted{Goal: "work"})
		l.says(session, person, events.SessionClosed{Reason: "over"})
	}
	l.says("S-last", person, events.SessionOpened{})
	l.engine("b1", true)
	return l
}

// engine starts an engine of a program and stops it, and returns the sessions
// that it began before it was live, and how many events it read until then. An
// orderly one settles what it owes and stores what it knows.
func (l *listed) engine(build string, orderly bool) (sessions []string, read int64) {
	l.t.Helper()
	l.read.Store(0)
	log := countedLog{l.log, &l.read}
	q := &runtime.Requests{States: runtime.States{Project: project, Actor: events.ActorTimers, Build: build,
		Snapshots: l.shelf, Logger: logger()},
		Timers: &runtime.Timers{Log: log, Clock: time.Now, Logger: logger()}}
	b := &begun{started: make(chan struct{}), heard: make(chan string, 1)}
	reader := readerOf(log)
	reader.States = q.States
	stop := engineOn(l.t, reader, q, b)
	<-b.started
	read = l.read.Load()
	sessions = b.all()
	if orderly {
		require.Eventually(l.t, func() bool { return len(b.all()) == l.sessions }, eventstest.Patience, time.Millisecond,
			"closed sessions are settled")
		l.says("S-last", person, events.GoalSubmitted{Goal: "more"})
		require.Equal(l.t, "S-last", <-b.heard)
		l.Reconciler = &runtime.Reconciler{Project: project, Requests: q, Pools: emptyPools{}, Log: l.log, Clock: time.Now,
			IDs: newID, Logger: logger()}
		stop()
		l.keepPage()
	}
	stop()
	return sessions, read
}

func TestAStartReadsNothingOfClosedSessions(t *testing.T) {
	t.Parallel()
	var read []int64
	for _, closed := range []int{20, 200} {
		l := newListed(t, closed)
		sessions, n := l.engine("b1", false)
		require.Equal(t, []string{"S-first", "S-last"}, sessions)
		read = append(read, n)
	}
	t.Logf("%d events are read beside 20 closed sessions, %d beside 200", read[0], read[1])
	require.Equal(t, read[0], read[1])
	require.Less(t, read[1], int64(20))
}

func TestAListOfOpenSessionsThatCannotBeUsedCostsTimeOnly(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]func(l *listed) (build string){
		"missing": func(l *listed) string { l.shelf.harm("", nil); return "b1" },
		"damaged": func(l *listed) string { l.shelf.harm("", []byte(`{"build":1}`)); return "b1" },
		"of another log": func(l *listed) string {
			l.shelf.harm(".-open.", fmt.Appendf(nil, `{"build":"b1","project":%q,"at":{"seq":2,"id":"other"},"open":["C0"]}`,
				project))
			return "b1"
		},
		"of another program": func(*listed) string { return "b2" },
		"with ends that are not on this log": func(l *listed) string {
			l.shelf.harm(".-ledger.", fmt.Appendf(nil, `{"project":%q,"closed":{"seq":7,"id":"other"}}`, project))
			return "b1"
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newListed(t, 20)
			sessions, _ := l.engine(harm(l), false)
			require.Equal(t, []string{"S-first", "S-last"}, sessions[:2])
		})
	}
}

// TestALateWordIsHeardThoughItsSessionWasNotLookedAt has the reader ask the log
// whether the session is closed.
func TestALateWordIsHeardThoughItsSessionWasNotLookedAt(t *testing.T) {
	t.Parallel()
	l := newListed(t, 20)
	b := &begun{started: make(chan struct{}), heard: make(chan string, 1)}
	reader := readerOf(l.log)
	reader.States = runtime.States{Project: project, Actor: events.ActorTimers, Build: "b1", Snapshots: l.shelf,
		Logger: logger()}
	engineOn(t, reader, b)
	<-b.started
	l.says("C0", person, events.UndoRequested{Call: "x"})
	require.Equal(t, "C0", <-b.heard)
}

// TestSessionsBehindTheListAreFound has a process killed that had not stored the list.
func TestSessionsBehindTheListAreFound(t *testing.T) {
	t.Parallel()
	l := newListed(t, 20)
	l.says("S-first", person, events.SessionClosed{Reason: "over"})
	l.says("S-new", person, events.SessionOpened{})
	sessions, _ := l.engine("b1", false)
	require.Equal(t, []string{"S-last", "S-new"}, sessions[:2])
}

// harm replaces what is stored under keys that contain a text; nil removes it.
func (s *shelf) harm(key string, with []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k := range s.kept {
		if strings.Contains(k, key) {
			s.kept[k] = with
		}
	}
}
