package bus_test

import (
	"context"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
	"manualslop/events/eventstest"
)

// onCluster connects to a cluster with a key file.
func onCluster(t testing.TB, c *bustest.Cluster, file string, role bus.Role) *bus.Conn {
	t.Helper()
	return dial(t, bus.DialConfig{Creds: filepath.Join(c.Keys, file+".json"), Role: role, Replicas: 3})
}

func TestKilledLeaderLosesAndDoublesNothing(t *testing.T) {
	t.Parallel()
	cluster := bustest.StartCluster(t, "ada")
	ctx, cancel := context.WithTimeout(t.Context(), eventstest.Patience)
	defer cancel()
	decider := onCluster(t, cluster, "orchestrator", approval)
	person := onCluster(t, cluster, "person-ada", ada)
	w := onCluster(t, cluster, "worker", worker1)
	build := &eventstest.Builder{Project: "p1", Session: "s1"}
	_, feed, err := onCluster(t, cluster, "reader", reader).Watch(ctx, events.Filter{}, 1)
	require.NoError(t, err)
	type claimed struct {
		id string
		by bool // this time
	}
	done := make(chan claimed, 4096)
	working(t, ctx, w, 4, func(ctx context.Context, d events.Delivery) error {
		_, err := w.CreateClaim(ctx, "call."+d.Event.ID, []byte("x"))
		if err != nil && !errors.Is(err, events.ErrClaimed) {
			return err // it is handed out again
		}
		done <- claimed{d.Event.ID, err == nil}
		return nil
	})
	const each = 300
	appended := make(chan error, 2)
	say := func(log events.Log, expect bool) {
		last := uint64(0)
		for range each {
			e := build.Event(t, events.ActorApproval, events.ToolApproved{Call: "c"})
			var x *events.Expect
			if expect {
				x = &events.Expect{Filter: events.Filter{Project: "p1", Session: "s1", Actor: events.ActorApproval}, Last: last}
			} else {
				e = build.Event(t, "ada", events.GoalSubmitted{Goal: "g"})
			}
			var err error
			if last, err = log.Append(ctx, e, x); err != nil {
				appended <- err
				return
			}
		}
		appended <- nil
	}
	go say(decider, true)
	go say(person, false)
	seen := map[string]bool{}
	var killed time.Time
	for e, err := range feed {
		require.NoError(t, err)
		require.False(t, seen[e.ID], "%s stands twice", e.ID)
		seen[e.ID] = true
		if len(seen) == 100 {
			leader := cluster.Leader()
			killed = time.Now()
			cluster.Kill(leader)
			cluster.Start(leader)
		}
		if len(seen) == 2*each {
			break
		}
	}
	t.Logf("%s from the kill to the end", time.Since(killed))
	require.NoError(t, <-appended)
	require.NoError(t, <-appended)
	handled, won := map[string]bool{}, map[string]bool{}
	for len(handled) < each {
		select {
		case c := <-done:
			require.False(t, won[c.id] && c.by, "%s was claimed twice", c.id)
			handled[c.id], won[c.id] = true, won[c.id] || c.by
		case <-ctx.Done():
			require.FailNow(t, "work is missing", len(handled))
		}
	}
	list, err := read(t, ctx, person, events.Filter{})
	require.NoError(t, err)
	require.Len(t, list, 2*each)
}

// lines counts what a connection logs.
type lines struct {
	mu  sync.Mutex
	all []string
}

func (l *lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, string(line))
	return len(line), nil
}

func (l *lines) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := l.all
	l.all = nil
	return all
}

func TestClusterWithoutQuorumIsSaidAndWaitedFor(t *testing.T) {
	t.Parallel()
	cluster := bustest.StartCluster(t, "ada")
	ctx, cancel := context.WithTimeout(t.Context(), eventstest.Patience)
	defer cancel()
	logged := &lines{}
	person := dial(t, bus.DialConfig{Creds: filepath.Join(cluster.Keys, "person-ada.json"), Role: ada, Replicas: 3,
		Logger: slog.New(slog.NewTextHandler(logged, nil))})
	w := onCluster(t, cluster, "worker", worker1)
	build := &eventstest.Builder{Project: "p1", Session: "s1"}
	working, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() {
		ended <- w.Work(working, toolPool, 2, func(context.Context, events.Delivery) error { return nil })
	}()
	leader := cluster.Leader()
	down := []int{leader, (leader + 1) % 3}
	for _, i := range down {
		cluster.Kill(i)
	}
	short, over := context.WithTimeout(ctx, 4*time.Second)
	defer over()
	e := build.Event(t, "ada", events.GoalSubmitted{Goal: "g"})
	_, err := person.Append(short, e, nil)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	for err = nil; err == nil; { // a leader that lost the others says so for some seconds yet
		soon, gone := context.WithTimeout(ctx, 2*time.Second)
		var c *bus.Conn
		if c, err = bus.Dial(soon, bus.DialConfig{Creds: filepath.Join(cluster.Keys, "reader.json"), Role: reader,
			Replicas: 3}); err == nil {
			c.Close()
		}
		gone()
	}
	require.ErrorIs(t, err, bus.ErrUnavailable)
	require.ErrorContains(t, err, "more than half of a cluster's servers must be running")

	stop()
	require.NoError(t, <-ended, "work ends while nobody leads")
	said := logged.take()
	require.Len(t, said, 1, "%q", said)
	require.Contains(t, said[0], "bus")
	for _, i := range down {
		cluster.Start(i)
	}
	_, err = person.Append(ctx, e, nil)
	require.NoError(t, err, "it goes on by itself")
	list, err := read(t, ctx, person, events.Filter{})
	require.NoError(t, err)
	require.Len(t, list, 1, "the append that was given up and its repeat are one")
	said = logged.take()
	require.Contains(t, said[0], "the bus answers again")
	require.LessOrEqual(t, len(said), 3, "the log may have a leader before the consumers have one: %q", said)
}

func TestAppendIsFoundAgainBehindANewerEventOfItsSubject(t *testing.T) {
	t.Parallel()
	b := setup(t)
	w := b.as(t, worker1)
	first := b.Event(t, "worker-test-1", events.ToolSettled{Call: "c1", Tool: "read_file"})
	for _, e := range []events.Event{first, b.Event(t, "worker-test-1", events.ToolSettled{Call: "c2", Tool: "read_file"}),
		first} {
		_, err := w.Append(b.ctx, e, nil)
		require.NoError(t, err)
	}
	list, err := read(t, b.ctx, b.as(t, reader), events.Filter{})
	require.NoError(t, err)
	require.Len(t, list, 2, "the worker may read the newest event of its subject only")
}

func TestCopyOfASessionIsStoredOnceHoweverOftenItIsRepeated(t *testing.T) {
	t.Parallel()
	b := setup(t)
	log := b.as(t, conductor)
	original := b.Event(t, events.ActorConductor, events.TicketReady{Ticket: "T-001"})
	duplicate := original
	duplicate.Session = "copy"
	for _, e := range []events.Event{original, duplicate, duplicate} {
		_, err := log.Append(b.ctx, e, nil)
		require.NoError(t, err)
	}
	list, err := read(t, b.ctx, log, events.Filter{})
	require.NoError(t, err)
	require.Len(t, list, 2)
}

func TestAppendThatMayHaveBeenStoredIsSearchedWithoutTheServersMemory(t *testing.T) {
	t.Parallel()
	b := setup(t)
	log := b.as(t, conductor)
	began := time.Now()
	e := b.Event(t, events.ActorConductor, events.TicketReady{Ticket: "T-001"})
	seq, err := log.Append(b.ctx, e, nil)
	require.NoError(t, err)
	absent := b.Event(t, events.ActorConductor, events.TicketReady{Ticket: "T-002"})
	_, err = log.Append(b.ctx, b.Event(t, events.ActorConductor, events.TicketReady{Ticket: "T-003"}), nil)
	require.NoError(t, err)
	found, err := log.Search(b.ctx, e, began)
	require.NoError(t, err)
	require.Equal(t, seq, found)
	found, err = log.Search(b.ctx, absent, began)
	require.NoError(t, err)
	require.Zero(t, found)
}
