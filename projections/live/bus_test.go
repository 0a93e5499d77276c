package live_test

import (
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
	"manualslop/projections"
	"manualslop/projections/live"
	"manualslop/projections/sessionlog"
)

func TestLiveFollowsARealBus(t *testing.T) {
	t.Parallel()
	server := bustest.Open(t)
	person := bustest.Connect(t, server, bus.Role{Kind: bus.Person, Name: "ada"})
	gateway := bustest.Connect(t, server, bus.Role{Kind: bus.Gateway})
	say := func(n string, p events.Payload) uint64 {
		e, err := events.New(events.Origin{ID: "E" + n, Time: at, Project: project, Session: "S1", Actor: "ada"}, p)
		require.NoError(t, err)
		seq, err := person.Append(patient(t), e, nil)
		require.NoError(t, err)
		return seq
	}
	say("1", events.SessionOpened{Folder: "20260102_030405"})
	l := open(t, gateway, live.Options{Snapshots: gateway})
	require.Equal(t, "S1", l.Current())
	held := make(chan error, 1)
	go func() {
		held <- l.Await(patient(t), "S1", func(s *projections.Set) bool {
			return s.MMAStatus().MMAStatus == projections.Planning
		})
	}()
	seq := say("2", events.GoalSubmitted{Goal: "Mend"})
	require.NoError(t, l.WaitFor(patient(t), seq))
	require.NoError(t, <-held)
	var got []string
	for e, err := range l.Subscribe(patient(t), "S1", 1) {
		require.NoError(t, err)
		if got = append(got, e.Type); len(got) == 2 {
			say("3", events.EventPushed{Kind: "note"})
		}
		if len(got) == 3 {
			break
		}
	}
	require.Equal(t, []string{"SessionOpened", "GoalSubmitted", "EventPushed"}, got)
}

// TestOfTwoWhoCloseASessionAtOnceTheFirstCounts wherever the end of a session is
// read, and whichever of them was the first.
func TestOfTwoWhoCloseASessionAtOnceTheFirstCounts(t *testing.T) {
	t.Parallel()
	server := bustest.Open(t)
	people := map[string]*bus.Conn{}
	for _, name := range []string{"ada", "bob"} {
		people[name] = bustest.Connect(t, server, bus.Role{Kind: bus.Person, Name: name})
	}
	say := func(who string, at time.Time, p events.Payload) uint64 {
		e, err := events.New(events.Origin{ID: "E-" + who + p.EventType().Name, Time: at, Project: project, Session: "S1",
			Actor: who}, p)
		require.NoError(t, err)
		seq, err := people[who].Append(patient(t), e, nil)
		require.NoError(t, err)
		return seq
	}
	say("ada", at, events.SessionOpened{Folder: "20260102_030405"})
	say("ada", at, events.WorkerSpawnRequested{Prompt: "Mend it", RequestID: "r-1"})
	l := open(t, bustest.Connect(t, server, bus.Role{Kind: bus.Gateway}), live.Options{})
	times := map[string]time.Time{"ada": at.Add(time.Minute), "bob": at.Add(time.Hour)}
	var ended sync.WaitGroup
	var last atomic.Uint64
	for name, when := range times { // order-independent: they race
		ended.Go(func() {
			seq := say(name, when, events.SessionClosed{Reason: name})
			for was := last.Load(); was < seq && !last.CompareAndSwap(was, seq); was = last.Load() {
			}
		})
	}
	ended.Wait()
	require.NoError(t, l.WaitFor(patient(t), last.Load()))

	first := ""
	facts := &sessionlog.Facts{Session: "S1"}
	for e, err := range people["ada"].Read(patient(t), events.Filter{Project: project, Session: "S1"}, 1, 0) {
		require.NoError(t, err)
		if e.Type == "SessionClosed" && first == "" {
			first = e.Actor
		}
		facts.Apply(events.Catalogue(), &e)
	}
	view, ok := l.Session("S1")
	require.True(t, ok)
	require.Equal(t, first, view.Summary().CloseReason)
	require.Equal(t, times[first], *view.Summary().Closed)
	require.Equal(t, times[first], *facts.Closed)
	require.NoError(t, view.Read(patient(t), func(s *projections.Set) {
		worker, found := s.SpawnedAs("r-1")
		require.True(t, found)
		require.Equal(t, times[first], *worker.Ended)
	}))
}
