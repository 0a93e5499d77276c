package bus_test

import (
	"context"
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
	"manualslop/events/eventstest"
)

// life is one life of a server with a listener whose leases are longer than a test.
type life struct {
	*bench
	dir, keys string
}

func newLife(t *testing.T, dir string) *life {
	b := setup(t, silentFor(2*eventstest.Patience), func(c *bus.Config) {
		c.Dir, c.Listen, c.Host = dir, "127.0.0.1:0", "test"
	})
	keys := filepath.Join(dir, "keys")
	require.NoError(t, b.srv.WriteKeys(keys))
	return &life{b, dir, keys}
}

// outside connects as another process does.
func (l *life) outside(t *testing.T, file string, role bus.Role) *bus.Conn {
	t.Helper()
	c, err := bus.Dial(l.ctx, bus.DialConfig{URL: l.srv.URL(), Creds: filepath.Join(l.keys, file), Role: role})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return c
}

// hang takes n pieces of work and never answers. Claims says which of them are
// claimed by the connection.
func (l *life) hang(t *testing.T, c *bus.Conn, pool string, n int, claims ...string) {
	t.Helper()
	taken, hang := make(chan events.Delivery, n), make(chan struct{})
	t.Cleanup(func() { close(hang) })
	go func() {
		_ = c.Work(l.ctx, pool, n, func(_ context.Context, d events.Delivery) error {
			taken <- d
			<-hang
			return nil
		})
	}()
	for range n {
		d := <-taken
		if slices.Contains(claims, d.Event.Corr) {
			value, err := json.Marshal(map[string]any{"process": c.Process(), "approved": d.Event.Seq})
			require.NoError(t, err)
			_, err = c.CreateClaim(l.ctx, d.Event.Session+"."+d.Event.Corr, value)
			require.NoError(t, err)
		}
	}
}

// comesBack waits for n pieces of work and then gives them back. It returns
// their sequences.
func (l *life) comesBack(t *testing.T, c *bus.Conn, pool string, n int) []uint64 {
	t.Helper()
	got := make(chan uint64, 64)
	stop := workingOn(t, l.ctx, c, pool, n+4, func(_ context.Context, d events.Delivery) error {
		got <- d.Event.Seq
		return &events.NotBeforeError{Time: time.Now().Add(time.Hour)}
	})
	seen := map[uint64]bool{}
	for len(seen) < n {
		select {
		case seq := <-got:
			seen[seq] = true
		case <-l.ctx.Done():
			t.Fatalf("of %d only %v came back", n, seen)
		}
	}
	stop()
	return slices.Sorted(maps.Keys(seen))
}

// TestARestartWithAListenerHandsOutWhatEndedWithTheServer kills an engine that
// others may reach, while its own worker and models are at work.
func TestARestartWithAListenerHandsOutWhatEndedWithTheServer(t *testing.T) {
	t.Parallel()
	models := events.PoolName(events.PoolModels, bustest.Project)
	l := newLife(t, t.TempDir())
	written := l.approve(t, l.as(t, approval), 2)
	asked := l.Event(t, events.ActorContributor, events.ModelRequested{Tier: 3})
	_, err := l.as(t, bus.Role{Kind: bus.Decider, Name: events.ActorContributor}).Append(l.ctx, asked, nil)
	require.NoError(t, err)
	l.hang(t, l.as(t, worker1), toolPool, 2, written[0].Corr)
	l.hang(t, l.as(t, bus.Role{Kind: bus.Models}), models, 1)
	require.NoError(t, l.srv.Close())
	next := newLife(t, l.dir)
	require.Equal(t, []uint64{1, 2}, next.comesBack(t, next.as(t, worker2), toolPool, 2))
	require.Equal(t, []uint64{3}, next.comesBack(t, next.as(t, bus.Role{Kind: bus.Models}), models, 1))
}

// TestARestartLeavesToOtherProcessesWhatTheyHave has a worker in the server's
// process and one outside, which goes on with its claimed call.
func TestARestartLeavesToOtherProcessesWhatTheyHave(t *testing.T) {
	t.Parallel()
	models := events.PoolName(events.PoolModels, bustest.Project)
	l := newLife(t, t.TempDir())
	remote := bus.Role{Kind: bus.Worker, Name: "worker-test-2", Project: bustest.Project}
	decides := l.as(t, approval)
	mine := l.approve(t, decides, 1)
	l.hang(t, l.as(t, worker1), toolPool, 1, mine[0].Corr)
	theirs := l.approve(t, decides, 1) // of the same call: another generation
	outside := l.outside(t, "worker.json", remote)
	l.hang(t, outside, toolPool, 1)
	value, err := json.Marshal(map[string]any{"process": outside.Process(), "approved": theirs[0].Seq})
	require.NoError(t, err)
	_, err = outside.CreateClaim(l.ctx, "s1.theirs", value)
	require.NoError(t, err)
	merge := l.Event(t, events.ActorConductor, events.MergeRequested{Ticket: "T-1"})
	_, err = l.as(t, conductor).Append(l.ctx, merge, nil)
	require.NoError(t, err)
	l.hang(t, outside, toolPool, 1)
	asked := l.Event(t, events.ActorContributor, events.ModelRequested{Tier: 3})
	_, err = l.as(t, bus.Role{Kind: bus.Decider, Name: events.ActorContributor}).Append(l.ctx, asked, nil)
	require.NoError(t, err)
	l.hang(t, l.outside(t, "orchestrator.json", bus.Role{Kind: bus.Models, Project: bustest.Project}), models, 1)
	require.NoError(t, l.srv.Close())

	next := newLife(t, l.dir)
	next.Builder = l.Builder
	require.Equal(t, []uint64{1}, next.comesBack(t, next.as(t, worker1), toolPool, 1))
	timers := next.as(t, bus.Role{Kind: bus.Timers, Project: bustest.Project})
	for pool, pending := range map[string]int{toolPool: 3, models: 1} {
		state, err := timers.PoolState(next.ctx, pool)
		require.NoError(t, err)
		require.Equal(t, pending, state.Pending, pool)
	}
	// A marker in each pool: what comes before it would have come first.
	after := next.approve(t, next.as(t, approval), 1)
	require.Equal(t, []uint64{after[0].Seq}, next.comesBack(t, next.as(t, worker2), toolPool, 1))
}

// TestTheDeathOfOneOfTwoProcessesOfAnActorIsNoticed has the models in two
// processes. The lease is longer than the test.
func TestTheDeathOfOneOfTwoProcessesOfAnActorIsNoticed(t *testing.T) {
	t.Parallel()
	models := events.PoolName(events.PoolModels, bustest.Project)
	role := bus.Role{Kind: bus.Models}
	b := setup(t, silentFor(2*eventstest.Patience))
	changes := make(chan change, 16)
	go func() {
		_ = b.as(t, bus.Role{Kind: bus.Timers}).Presence(b.ctx, "p1", func(actor string, here bool) {
			changes <- change{actor,
				here}
		})
	}()
	go func() { _ = b.as(t, bus.Role{Kind: bus.Timers}).HandBack(b.ctx, "p1") }()
	require.Eventually(t, func() bool { return b.srv.Hears("slop.sig.p1.-.somebody.here") }, eventstest.Patience,
		time.Millisecond)
	asked := b.Event(t, events.ActorContributor, events.ModelRequested{Tier: 3})
	seq, err := b.as(t, bus.Role{Kind: bus.Decider, Name: events.ActorContributor}).Append(b.ctx, asked, nil)
	require.NoError(t, err)
	dying, other := b.as(t, role), b.as(t, role)
	require.NotEqual(t, dying.Process(), other.Process())
	l := &life{bench: b}
	l.hang(t, dying, models, 1)
	for _, c := range []*bus.Conn{dying, other} {
		go func() { _ = c.Announce(b.ctx, "p1", events.ActorModels) }()
	}
	require.Eventually(t, func() bool {
		held, err := b.as(t, worker1).Holds(b.ctx, "p1", events.ActorModels, dying.Process(), seq)
		return err == nil && held
	}, eventstest.Patience, time.Millisecond)
	held, err := b.as(t, worker1).Holds(b.ctx, "p1", events.ActorModels, other.Process(), seq)
	require.NoError(t, err)
	require.False(t, held, "the other one is there and has it not")
	dying.Close()
	require.Equal(t, []uint64{seq}, l.comesBack(t, other, models, 1))
	require.Equal(t, change{events.ActorModels, true}, <-changes)
	other.Close()
	require.Equal(t, change{events.ActorModels, false}, <-changes, "the actor is gone with its last process")
}

// TestWorkersOfTwoProjectsOnOneHostReadBesideEachOther gives both the same name.
func TestWorkersOfTwoProjectsOnOneHostReadBesideEachOther(t *testing.T) {
	t.Parallel()
	b := setup(t, func(c *bus.Config) { c.Pools = append(bus.Pools("p1"), bus.Pools("p2")...) })
	for _, project := range []string{"p1", "p2"} {
		log := &eventstest.Builder{Project: project, Session: "s-" + project}
		writes := b.as(t, worker1)
		for range 600 { // more than one batch
			_, err := writes.Append(b.ctx, log.Event(t, worker1.Name, events.ToolSettled{Call: "c", Tool: "x"}), nil)
			require.NoError(t, err)
		}
	}
	done := make(chan int, 2)
	for _, project := range []string{"p1", "p2"} {
		c := b.as(t, bus.Role{Kind: bus.Worker, Name: worker1.Name, Project: project})
		go func() {
			n := 0
			for _, err := range c.Read(b.ctx, events.Filter{Project: project, Type: "ToolSettled"}, 1, 0) {
				if err != nil {
					t.Error(err)
					break
				}
				n++
			}
			done <- n
		}()
	}
	require.Equal(t, 600, <-done)
	require.Equal(t, 600, <-done)
}
