package bus_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/events"
	"manualslop/events/eventstest"
)

func TestFiguresTellHowFullTheLogIsAndWhatWaits(t *testing.T) {
	t.Parallel()
	b := setup(t, silentFor(eventstest.Patience))
	gateway := b.as(t, bus.Role{Kind: bus.Gateway})
	empty, err := gateway.Figures(b.ctx, "p1")
	require.NoError(t, err)
	require.Zero(t, empty.Messages)
	require.Positive(t, empty.Budget)
	require.Equal(t, []bus.PoolFigures{{Name: events.PoolModels}, {Name: events.PoolShort}, {Name: events.PoolTools}},
		empty.Pools)

	b.approve(t, b.as(t, approval), 3)
	got := figuresOnce(t, b, gateway, bus.PoolFigures{Name: events.PoolTools, Waiting: 3})
	require.EqualValues(t, 3, got.Messages)
	require.EqualValues(t, 3, got.LastSeq)
	require.Positive(t, got.Bytes)

	ctx, stop := context.WithCancel(b.ctx)
	taken, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		_ = b.as(t, worker1).Work(ctx, toolPool, 1, func(ctx context.Context, _ events.Delivery) error {
			close(taken)
			<-ctx.Done()
			return ctx.Err()
		})
	}()
	<-taken
	figuresOnce(t, b, gateway, bus.PoolFigures{Name: events.PoolTools, Waiting: 2, Running: 1})
	stop()
	<-over
}

// figuresOnce waits for the figures of the pool of tools: the server counts
// for a pool a moment after it has stored.
func figuresOnce(t *testing.T, b *bench, gateway *bus.Conn, tools bus.PoolFigures) (got bus.Figures) {
	t.Helper()
	require.Eventually(t, func() bool {
		var err error
		got, err = gateway.Figures(b.ctx, "p1")
		return err == nil && got.Pools[2] == tools
	}, eventstest.Patience, time.Millisecond)
	return got
}

func TestFiguresNeedTheRightToReadTheLog(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.as(t, worker1).Figures(b.ctx, "p1")
	require.ErrorIs(t, err, events.ErrDenied)
}

func BenchmarkFigures(b *testing.B) {
	s := setup(b)
	gateway := s.as(b, bus.Role{Kind: bus.Gateway})
	for b.Loop() {
		if _, err := gateway.Figures(s.ctx, "p1"); err != nil {
			b.Fatal(err)
		}
	}
}
