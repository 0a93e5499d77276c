package engine

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/bus/bustest"
	"manualslop/events"
	"manualslop/events/eventstest"
	"manualslop/hookgw/wire"
	"manualslop/projections/live"
)

// processes are two of one program: a gateway and a worker, each with a
// connection and a board of its own.
func processes(t *testing.T) (gateway, worker *Stats) {
	t.Helper()
	server := bustest.Open(t)
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	t.Cleanup(func() { stop(); running.Wait() })
	start := func(role bus.Role, actor string) *Stats {
		v := newStats("p1", newStartTasks(), func() {})
		v.publisher, v.sampler.name = publisher{bustest.Connect(t, server, role), actor}, actor
		if actor == events.ActorGateway {
			models, err := live.Open(ctx, v.publisher.conn, "p1", live.Options{})
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, models.Close()) })
			v.watch(v.publisher.conn, models)
		}
		running.Go(func() { v.follow(ctx) })
		return v
	}
	return start(bus.Role{Kind: bus.Gateway}, events.ActorGateway),
		start(bus.Role{Kind: bus.Worker, Name: "worker-test-1"}, "worker-test-1")
}

func TestEveryProcessShowsTheSameModel(t *testing.T) {
	t.Parallel()
	gateway, worker := processes(t)
	fps := 60.0
	require.NoError(t, gateway.Report(t.Context(), wire.Frame{FPS: &fps}))
	require.InDelta(t, fps, *gateway.Performance().FPS, 0, "it is shown at once where it was reported")
	require.Eventually(t, func() bool {
		_ = gateway.Report(t.Context(), wire.Frame{FPS: &fps}) // until the worker listens
		seen, err := worker.tool(t.Context())
		return err == nil && seen.FPS != nil && worker.Performance().Processes == 2 && gateway.Performance().Processes == 2 &&
			worker.Performance().ProjectionLag != nil
	}, eventstest.Patience, 10*time.Millisecond)
	there, here := gateway.Telemetry(), worker.Telemetry()
	require.Equal(t, there.Process.Name, events.ActorGateway)
	require.Len(t, there.Processes, 2)
	require.Len(t, there.Bus.Pools, 3)
	require.Equal(t, []string{""}, there.FrontEnds)
	require.Nil(t, here.Bus, "a worker may not read the log")
	require.Equal(t, "worker-test-1", here.Process.Name)
}

func TestFiguresOfABusThatIsGoneAreGone(t *testing.T) {
	t.Parallel()
	server := bustest.Open(t)
	v := newStats("p1", newStartTasks(), func() {})
	v.publisher = publisher{bustest.Connect(t, server, bus.Role{Kind: bus.Gateway}), events.ActorGateway}
	models, err := live.Open(t.Context(), v.publisher.conn, "p1", live.Options{})
	require.NoError(t, err)
	v.watch(v.publisher.conn, models)
	require.NotNil(t, v.look(t.Context()))
	require.NotNil(t, v.Telemetry().Bus)
	require.NoError(t, models.Close())
	server.Close()
	v.tell(t.Context())
	require.Nil(t, v.Telemetry().Bus)
	require.NotEmpty(t, v.Telemetry().BusError)
	require.NotNil(t, v.Performance().MemoryBytes, "this process goes on being measured")
	require.Nil(t, v.Performance().ProjectionLag)
}

func TestALogThatStandsStillIsNotRead(t *testing.T) {
	t.Parallel()
	head, reads := uint64(7), 0
	v := newStats("p1", newStartTasks(), func() {})
	v.log = &logWatch{
		figures:  func(context.Context) (bus.Figures, error) { return bus.Figures{LastSeq: head}, nil },
		newest:   func(context.Context) (uint64, error) { reads++; return head - 1, nil },
		position: func() uint64 { return 4 },
	}
	for range 3 {
		require.EqualValues(t, 2, v.look(t.Context()).Lag)
	}
	require.Equal(t, 1, reads)
	head = 9
	require.EqualValues(t, 4, v.look(t.Context()).Lag)
	require.Equal(t, 2, reads)
}
