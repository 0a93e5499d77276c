package bus_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"manualslop/bus"
	"manualslop/events"
)

func TestFiguresTellHowFullTheLogIsAndWhatWaits(t *testing.T) {
	t.Parallel()
	b := setup(t)
	gateway := b.as(t, bus.Role{Kind: bus.Gateway})
	empty, err := gateway.Figures(b.ctx)
	require.NoError(t, err)
	require.Zero(t, empty.Messages)
	require.Positive(t, empty.Budget)
	require.Equal(t, []bus.PoolFigures{{Name: bus.PoolModels}, {Name: bus.PoolTools}}, empty.Pools)

	b.approve(t, b.as(t, approval), 3)
	got, err := gateway.Figures(b.ctx)
	require.NoError(t, err)
	require.EqualValues(t, 3, got.Messages)
	require.EqualValues(t, 3, got.LastSeq)
	require.Positive(t, got.Bytes)
	require.Equal(t, bus.PoolFigures{Name: bus.PoolTools, Waiting: 3}, got.Pools[1])

	ctx, stop := context.WithCancel(b.ctx)
	taken, over := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(over)
		_ = b.as(t, worker1).Work(ctx, bus.PoolTools, 1, func(ctx context.Context, _ bus.Delivery) error {
			close(taken)
			<-ctx.Done()
			return ctx.Err()
		})
	}()
	<-taken
	got, err = gateway.Figures(b.ctx)
	require.NoError(t, err)
	require.Equal(t, bus.PoolFigures{Name: bus.PoolTools, Waiting: 2, Running: 1}, got.Pools[1])
	stop()
	<-over
}

func TestFiguresNeedTheRightToReadTheLog(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.as(t, worker1).Figures(b.ctx)
	require.ErrorIs(t, err, events.ErrDenied)
}

func BenchmarkFigures(b *testing.B) {
	s := setup(b)
	gateway := s.as(b, bus.Role{Kind: bus.Gateway})
	for b.Loop() {
		if _, err := gateway.Figures(s.ctx); err != nil {
			b.Fatal(err)
		}
	}
}
