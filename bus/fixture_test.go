package bus_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
	"manualslop/events/eventstest"
)

// Roles of these tests.
var (
	conductor = bus.Role{Kind: bus.Decider, Name: events.ActorConductor}
	approval  = bus.Role{Kind: bus.Decider, Name: events.ActorApproval}
	ada       = bus.Role{Kind: bus.Person, Name: "ada"}
	worker1   = bus.Role{Kind: bus.Worker, Name: "worker-test-1"}
	worker2   = bus.Role{Kind: bus.Worker, Name: "worker-test-2"}
	reader    = bus.Role{Kind: bus.Reader}
	admin     = bus.Role{Kind: bus.Admin}
	gateway   = bus.Role{Kind: bus.Gateway}
)

// toolPool is the pool of calls of the tests' project.
var toolPool = events.PoolName(events.PoolTools, bustest.Project)

// bench is one bus and events to put on it.
type bench struct {
	*eventstest.Builder
	ctx context.Context
	srv *bus.Server
}

func setup(t testing.TB, options ...func(*bus.Config)) *bench {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), eventstest.Patience)
	t.Cleanup(cancel)
	return &bench{&eventstest.Builder{Project: "p1", Session: "s1"}, ctx, bustest.Open(t, options...)}
}

func (b *bench) as(t testing.TB, role bus.Role) *bus.Conn {
	t.Helper()
	return bustest.Connect(t, b.srv, role)
}

// approve appends n ToolApproved events.
func (b *bench) approve(t testing.TB, log events.Log, n int) []events.Event {
	t.Helper()
	out := make([]events.Event, n)
	for i := range out {
		out[i] = b.Event(t, events.ActorApproval, events.ToolApproved{Call: fmt.Sprintf("c-%d", i), Tool: "read_file",
			Args: []byte(`{}`)})
		seq, err := log.Append(b.ctx, out[i], nil)
		require.NoError(t, err)
		out[i].Seq = seq
	}
	return out
}

func read(t testing.TB, ctx context.Context, log events.Log, f events.Filter) ([]events.Event, error) {
	t.Helper()
	var out []events.Event
	for e, err := range log.Read(ctx, f, 1, 0) {
		if err != nil {
			return out, err
		}
		out = append(out, e)
	}
	return out, nil
}

// longest keeps the longest of many durations.
type longest struct{ d atomic.Int64 }

func (l *longest) see(d time.Duration) {
	for old := l.d.Load(); int64(d) > old && !l.d.CompareAndSwap(old, int64(d)); old = l.d.Load() {
	}
}

func (l *longest) value() time.Duration { return time.Duration(l.d.Load()) }
